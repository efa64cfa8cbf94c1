# ruff: noqa: N802 - Jinja's visitors look for methods by these names
"""Rewrites parsed templates so that they charge for what Jinja offers no hook for.

What it puts in calls `template_sandbox.TemplateSandbox`, where the limits are.
"""

from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.visitor import NodeTransformer


class Metering(NodeTransformer):
    """Has a template charge for what Jinja offers no hook for."""

    def visit_For(self, node: nodes.For) -> nodes.Node:
        self.generic_visit(node)
        node.body.insert(0, _statement("charge", [], node.lineno))
        return node

    def visit_Output(self, node: nodes.Output) -> list[nodes.Node]:
        self.generic_visit(node)
        size = sum(len(part.data) for part in node.nodes if isinstance(part, nodes.TemplateData))
        if not size:
            return [node]
        return [_statement("charge", [nodes.Const(size)], node.lineno), node]

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        return _call("concatenate", node.nodes, node.lineno)

    def visit_Filter(self, node: nodes.Filter) -> nodes.Node:
        self.generic_visit(node)
        args = [nodes.Const(node.name), node.node, *node.args]
        function = nodes.EnvironmentAttribute("apply_filter")
        return nodes.Call(
            function, args, node.kwargs, node.dyn_args, node.dyn_kwargs, lineno=node.lineno
        )

    def visit_FilterBlock(self, node: nodes.FilterBlock) -> list[nodes.Node]:
        captured, filtered = self._capture(node.body, node.filter)
        return [captured, nodes.Output([filtered], lineno=node.lineno)]

    def visit_AssignBlock(self, node: nodes.AssignBlock) -> list[nodes.Node]:
        if node.filter is None:
            self.generic_visit(node)
            return [node]
        captured, filtered = self._capture(node.body, node.filter)
        return [captured, nodes.Assign(node.target, filtered, lineno=node.lineno)]

    def visit_List(self, node: nodes.List) -> nodes.Node:
        return self._charged(node)

    def visit_Dict(self, node: nodes.Dict) -> nodes.Node:
        return self._charged(node)

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:
        return self._charged(node) if node.ctx == "load" else node

    def _charged(self, node: nodes.Expr) -> nodes.Node:
        self.generic_visit(node)
        return _call("charge_tree", [node], node.lineno)

    def _capture(
        self, body: list[nodes.Node], applied: nodes.Filter
    ) -> tuple[nodes.Node, nodes.Node]:
        """What a block puts out, caught in a variable, and a chain of filters applied to that."""
        name, lineno = "_captured", applied.lineno
        first = applied
        while isinstance(first.node, nodes.Filter):
            first = first.node
        first.node = nodes.Name(name, "load", lineno=lineno)
        block = nodes.AssignBlock(nodes.Name(name, "store"), None, body, lineno=lineno)
        return self.generic_visit(block), self.visit(applied)


def _call(name: str, args: list[nodes.Expr], lineno: int) -> nodes.Call:
    function = nodes.EnvironmentAttribute(name)
    return nodes.Call(function, args, [], None, None, lineno=lineno)


def _statement(name: str, args: list[nodes.Expr], lineno: int) -> nodes.Node:
    return nodes.ExprStmt(_call(name, args, lineno), lineno=lineno)


class GenerationBlocks(Extension):
    """`{% generation %} … {% endgeneration %}`, with which training marks what a model writes."""

    tags = {"generation"}  # noqa: RUF012 - as Jinja declares it

    def parse(self, parser: Parser) -> nodes.Node:
        lineno = next(parser.stream).lineno
        return nodes.Scope(parser.parse_statements(("name:endgeneration",), True), lineno=lineno)
