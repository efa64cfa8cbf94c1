from app.text.highlight import MAX_CHARACTERS, CodeKind, highlight


def kinds(language, code):
    return {code[span.start : span.end]: span.kind for span in highlight(language, code)}


def test_python_is_coloured_by_kind():
    found = kinds("python", "def area(r):  # of a circle\n    return 'pi' * 3\n")

    assert found["def"] is CodeKind.KEYWORD
    assert found["area"] is CodeKind.NAME
    assert found["# of a circle"] is CodeKind.COMMENT
    assert found["'pi'"] is CodeKind.STRING
    assert found["3"] is CodeKind.NUMBER
    assert "r" not in found


def test_spans_ascend_within_the_code_with_its_first_and_last_blank_lines():
    code = "\n\nif (x) { return 1; }\n\n"
    spans = highlight("js", code)
    edges = [edge for span in spans for edge in (span.start, span.end)]

    assert edges == sorted(edges)
    assert code[spans[0].start : spans[0].end] == "if"


def test_an_unknown_language_stays_plain():
    assert highlight("no-such-language", "if x: pass") == ()
    assert highlight("", "if x: pass") == ()


def test_very_long_code_stays_plain():
    assert highlight("python", "x = 1\n" * (MAX_CHARACTERS // 6 + 1)) == ()
