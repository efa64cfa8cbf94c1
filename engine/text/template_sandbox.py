"""A Jinja sandbox for templates by strangers, with limits on their time and on what they build.

Jinja's own sandbox keeps a template from reaching Python. It does not keep one from looping for
hours or from writing `'x' * 10**9`. Here every loop, call, filter, operator and output that may
take time or room is charged for: through the hooks that Jinja has, and where it has none through
calls that `template_metering` puts into the parsed template.
"""

import json
import time
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from datetime import datetime
from types import CodeType, GeneratorType
from typing import NoReturn

import jinja2
from jinja2 import nodes, pass_context
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from engine.text.template_metering import GenerationBlocks, Metering

FILE_NAME = "<chat template>"  # in tracebacks
_SECONDS = 3.0  # of the processor for one rendering; a long conversation takes some hundredths
# Characters that one rendering may build, intermediate values included: so many, and so many more
# for each of the conversation's.
_ROOM = 1 << 25
_ROOM_PER_CHARACTER = 1 << 7
_ITEM = 1 << 9  # what an item of a list counts as: few items, so that comparing lists stays quick
_UNIT = 1 << 4  # what each one of a number counts as, where it says how much to make
_DEEPEST_INDENT = 16
_LONGEST_DATE_FORMAT = 100

# Of Jinja's filters and Python's methods, those that chat templates use. The others can make much
# out of little (`center`, `format`, `sum`), run long (`urlize`) or have no use here.
_FILTERS = """
    abs batch capitalize count d default dictsort e escape first float groupby indent int items
    join last length list lower map max min reject rejectattr replace reverse round safe select
    selectattr slice sort string title trim unique upper urlencode
"""
_STR_METHODS = """
    capitalize casefold count endswith find index isalnum isalpha isdigit islower isnumeric isspace
    istitle isupper join lower lstrip partition removeprefix removesuffix replace rfind rindex
    rpartition rsplit rstrip split splitlines startswith strip swapcase title upper
"""
_METHODS: dict[type, frozenset[str]] = {
    str: frozenset(_STR_METHODS.split()),
    dict: frozenset({"copy", "get", "items", "keys", "values"}),
    list: frozenset({"copy", "count", "index"}),
    tuple: frozenset({"count", "index"}),
}
# Filters and methods whose result may be as large as their value times their arguments.
_MULTIPLYING = frozenset({"batch", "indent", "join", "replace", "round", "slice"})


class TemplateLimitError(jinja2.TemplateRuntimeError):
    """A template took too long or built too much."""


class TemplateRefusalError(jinja2.TemplateRuntimeError):
    """A template called `raise_exception`."""


class TemplateSandbox(ImmutableSandboxedEnvironment):
    """The environment of one rendering, with the names that Hugging Face gives chat templates.

    Args:
        given: characters in what the template is given.
    """

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, given: int = 0) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=["jinja2.ext.loopcontrols", GenerationBlocks],
        )
        self._room = _ROOM + given * _ROOM_PER_CHARACTER
        self._deadline = time.thread_time() + _SECONDS
        self.finalize = self.charge_output
        self.filters = {name: self.filters[name] for name in _FILTERS.split()}
        self.filters["tojson"] = self._to_json
        del self.globals["lipsum"]
        self.globals["namespace"] = _QuietNamespace
        self.globals["raise_exception"] = _raise_exception
        self.globals["strftime_now"] = _strftime_now

    def charge(self, size: int = 1) -> None:
        """Count `size` characters against the limits.

        Raises:
            TemplateLimitError: there is no room for them, or no time left.
        """
        self._room -= size
        if self._room < 0:
            raise TemplateLimitError("it builds too much text")
        if time.thread_time() > self._deadline:
            raise TemplateLimitError("it runs too long")

    # What Jinja calls.

    def is_safe_attribute(self, obj: object, attr: str, value: object) -> bool:
        """Whether a template may read `obj.attr`: by what is listed, not by what is not."""
        for type_, methods in _METHODS.items():
            if isinstance(obj, type_):
                return attr in methods
        # Beyond those only loops, macros and namespaces have attributes worth asking for.
        is_jinjas = type(obj).__module__.startswith("jinja2") or isinstance(obj, Namespace)
        return is_jinjas and super().is_safe_attribute(obj, attr, value)

    def wrap_str_format(self, value: object) -> None:
        """Leaves `str.format` to `is_safe_attribute`, which refuses it: widths have no limit."""

    def call_binop(self, context: Context, operator: str, left: object, right: object) -> object:
        """What the operators of `intercepted_binops` do."""
        match operator:
            case "+":
                self.charge(_size_of_sum([_size(left), _size(right)]))
            case "*":
                self.charge(_size_of_product(left, right))
            case "**":
                self.charge(_bits(left) * _amount([right]))
            case _ if isinstance(left, str | bytes):
                raise SecurityError("formatting with % is not supported")
        return super().call_binop(context, operator, left, right)

    def call(
        self, context: Context, function: object, /, *args: object, **kwargs: object
    ) -> object:
        """What every call in a template does."""
        if getattr(function, "__self__", None) is self:  # by `template_metering`
            return super().call(context, function, *args, **kwargs)
        self.charge()
        if _keeps_arguments(function):
            self.charge_tree([args, kwargs])
        if getattr(function, "__name__", "") in _MULTIPLYING:
            args = tuple(map(_settled, args))
            self.charge(_size(getattr(function, "__self__", "")) * _amount(args))
        return self._received(super().call(context, function, *args, **kwargs))

    def call_filter(
        self,
        name: str,
        value: object,
        args: Sequence[object] | None = None,
        kwargs: Mapping[str, object] | None = None,
        context: Context | None = None,
        eval_ctx: nodes.EvalContext | None = None,
    ) -> object:
        """What every filter does, also where `map` applies it."""
        self.charge()
        if name in _MULTIPLYING:
            value = _settled(value)
            self.charge(_size(value) * _amount([*(args or ()), *(kwargs or {}).values()]))
        return self._received(super().call_filter(name, value, args, kwargs, context, eval_ctx))

    # What `template_metering` puts into templates.

    def charge_tree(self, value: object) -> object:
        """Charge for a value and all that it holds, as often as it holds it; returns the value.

        A list of twice the same list, nested forty times, is small and yet never done printing.
        """
        pending = [value]
        while pending:
            part = pending.pop()
            self.charge(1 + _size(part))
            if isinstance(part, list | tuple):
                pending.extend(part)
            elif isinstance(part, Mapping):
                pending.extend(part.keys())
                pending.extend(part.values())
        return value

    @pass_context  # or Jinja would apply it to constants, once, when it compiles
    def charge_output(self, context: Context, value: object) -> object:
        """What `{{ }}` does before it writes."""
        return self.charge_tree(value)

    def concatenate(self, *parts: object) -> str:
        """What `~` does."""
        texts = [part if isinstance(part, str) else str(self.charge_tree(part)) for part in parts]
        self.charge(_size_of_sum([len(text) for text in texts]))
        return "".join(texts)

    @pass_context
    def apply_filter(
        self, context: Context, name: str, value: object, /, *args: object, **kwargs: object
    ) -> object:
        """What `|` does."""
        return self.call_filter(name, value, args, kwargs, context, context.eval_ctx)

    def _received(self, result: object) -> object:
        if isinstance(result, GeneratorType):
            return self._metered(result)
        if isinstance(result, ItemsView | KeysView | ValuesView):
            result = list(result)
        self.charge(_size(result))
        if isinstance(result, list):
            self.charge(sum(len(item) for item in result if isinstance(item, str)))
        return result

    def _metered(self, items: Iterable[object]) -> Iterator[object]:
        for item in items:
            self.charge(_ITEM)
            yield item

    def _to_json(
        self,
        value: object,
        ensure_ascii: bool = False,
        indent: int | None = None,
        separators: tuple[str, str] | None = None,
        sort_keys: bool = False,
    ) -> str:
        """Hugging Face's `tojson`, which unlike Jinja's leaves HTML's characters alone."""
        if indent is not None and not 0 <= indent <= _DEEPEST_INDENT:
            raise SecurityError(f"tojson takes an indent up to {_DEEPEST_INDENT}")
        encoder = json.JSONEncoder(
            ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
        )
        parts = []
        for part in encoder.iterencode(value):
            self.charge(len(part))
            parts.append(part)
        return "".join(parts)


def compile_template(source: str) -> tuple[CodeType, set[str]]:
    """The code of a template, for `instantiate`, and the names of variables in it.

    Raises:
        Exception: whatever Jinja or Python find wrong with it; mostly `TemplateSyntaxError`.
    """
    sandbox = TemplateSandbox()
    tree = sandbox.parse(source, filename=FILE_NAME)
    variables = {node.name for node in tree.find_all(nodes.Name)}
    metered: nodes.Template = Metering().visit(tree)
    metered.set_environment(sandbox)
    return sandbox.compile(metered, filename=FILE_NAME), variables


def instantiate(code: CodeType, given: int) -> jinja2.Template:
    """A template for one rendering of `given` characters, whose limits count from now on."""
    sandbox = TemplateSandbox(given)
    return jinja2.Template.from_code(sandbox, code, sandbox.make_globals(None))


class _QuietNamespace(Namespace):
    """Jinja's, without its `repr` of all that it holds, which may hold itself."""

    def __repr__(self) -> str:
        return "<namespace>"


def _raise_exception(message: object) -> NoReturn:
    raise TemplateRefusalError(str(message))


def _strftime_now(form: str) -> str:
    if len(form) > _LONGEST_DATE_FORMAT:
        raise SecurityError(
            f"strftime_now takes a format of up to {_LONGEST_DATE_FORMAT} characters"
        )
    return datetime.now().astimezone().strftime(form)


def _keeps_arguments(function: object) -> bool:
    """Whether a call makes a container of what it is given."""
    if isinstance(function, Macro):
        return function.catch_varargs or function.catch_kwargs
    return function is dict


def _settled(value: object) -> object:
    """A generator's items as a list, so that they can be counted."""
    return list(value) if isinstance(value, GeneratorType) else value


def _size(value: object) -> int:
    """The characters of a text or number, and those that the items of a container count as."""
    match value:
        case str() | bytes():
            return len(value)
        case list() | tuple() | Mapping():
            return len(value) * _ITEM
        case int():
            return 1 + value.bit_length() // 8
        case _:
            return 1


def _amount(args: Iterable[object]) -> int:
    """How many times larger than a filter's value its result may be, at most, with these."""
    times = 1
    for arg in args:
        if isinstance(arg, int):
            times += abs(arg) * _UNIT
        elif isinstance(arg, list | tuple):
            times += sum(map(_size, arg))
        else:
            times += _size(arg)
    return times


def _bits(value: object) -> int:
    return value.bit_length() if isinstance(value, int) else 1


def _size_of_sum(sizes: list[int]) -> int:
    """Little for the largest, so that a text may be put together from many parts in a loop."""
    return sum(sizes) - max(sizes) * 7 // 8


def _size_of_product(left: object, right: object) -> int:
    if isinstance(left, int) and isinstance(right, int):
        return 1 + _bits(left) * _bits(right) // 64  # a school multiplication's steps
    text, times = (right, left) if isinstance(left, int) else (left, right)
    return _size(text) * max(times, 0) if isinstance(times, int) else 1
