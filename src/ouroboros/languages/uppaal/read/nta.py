"""Models in XML: elements to the tree, whatever version of the DTD the file names."""

from __future__ import annotations

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.read import ast, xml
from ouroboros.languages.uppaal.read.queries import read_query
from ouroboros.languages.uppaal.read.xta import TextParser
from ouroboros.source import Source

_KNOWN: dict[str, set[str]] = {
    "nta": {"imports", "declaration", "template", "lsc", "instantiation", "system", "queries"},
    "template": {"name", "parameter", "declaration", "location", "branchpoint", "init", "transition"},
    "location": {"name", "label", "urgent", "committed"},
    "branchpoint": set(),
    "transition": {"source", "target", "label", "nail"},
    "queries": {"query", "option"},
    "query": {"formula", "comment", "expect", "result", "option"},
}
_IGNORED_LABELS = {"comments", "probability", "testcode", "testcodeEnter", "testcodeExit"}


def read_xml(source: Source, model: ast.Model) -> None:
    """Fill in a model; where that fails, it has the places that were seen until then."""
    root = xml.parse(source)
    if root.name not in ("nta", "project"):
        raise InputError(
            f"the root of the file is <{root.name}>, and not <nta>", root.span, "this is no model of timed automata"
        )
    _Reader(model).read(root)


class _Reader:
    def __init__(self, model: ast.Model) -> None:
        self.model = model

    def read(self, root: xml.Element) -> None:
        _refuse_unknown(root, "nta")
        for imports in root.all("imports"):
            if imports.words:
                raise InputError("<imports> of other files are not supported", imports.span)
        for lsc in root.all("lsc"):
            raise InputError("live sequence charts (<lsc>) are not supported", lsc.span)
        for declaration in root.all("declaration"):
            parser = self._parser(declaration, "the declarations")
            self.model.declarations += parser.declarations()
            parser.finished("the declarations")
        for template in root.all("template"):
            self.model.declarations.append(self._template(template))
        for instantiation in root.all("instantiation"):
            self._parser(instantiation, "the instantiations").instantiations(self.model)
        system = _only(root, "system")
        if system is None:
            raise InputError("there is no <system>", root.span)
        self._parser(system, "the system").system_section(self.model)
        queries = _only(root, "queries")
        if queries:
            _refuse_unknown(queries, "queries")
            for query in queries.all("query"):
                self._query(query)

    def _parser(self, element: xml.Element, where: str) -> TextParser:
        for child in element.children:
            raise InputError(f"<{child.name}> is no element of <{element.name}>, which is a text", child.span)
        unit = element.unit
        self.model.places.append((unit.offsets[0], unit.offsets[-1], where))
        return TextParser(unit)

    def _template(self, element: xml.Element) -> ast.Template:
        _refuse_unknown(element, "template")
        name = _only(element, "name")
        if name is None or not name.words:
            raise InputError("a template needs a <name>", element.span)
        where = f"template {name.words}"
        parameters: tuple[ast.Variable, ...] = ()
        if (found := _only(element, "parameter")) and found.words:
            parser = self._parser(found, f"the parameters of {where}")
            parameters = parser.parameters()
            parser.finished("the parameters")
        declarations: list[ast.Declaration] = []
        for found in element.all("declaration"):
            parser = self._parser(found, f"the declarations of {where}")
            declarations += parser.declarations()
            parser.finished("the declarations")
        locations = [self._location(each, where) for each in element.all("location")]
        locations += [
            ast.Location(each.span, each.attributes.get("id", ""), each.attributes.get("id", ""), branchpoint=True)
            for each in element.all("branchpoint")
        ]
        names: dict[str, ast.Location] = {}
        keys: dict[str, ast.Location] = {}
        for location in locations:
            if location.name in names:
                raise InputError(f"{where} has two locations {location.name}", location.span)
            if location.key in keys:
                raise InputError(f"{where} has two locations with the id {location.key}", location.span)
            names[location.name] = keys[location.key] = location
        initial = _only(element, "init")
        if initial is None and locations:
            raise InputError(f"{where} has no initial location (<init>)", element.span)
        start = initial.attributes.get("ref", "") if initial else None
        if start is not None and start not in keys and initial:
            raise InputError(f"{where} has no location {start}", initial.span)
        edges = tuple(self._edge(each, keys, where) for each in element.all("transition"))
        return ast.Template(
            name.unit.span(0, len(name.unit.text)),
            name.words,
            parameters,
            tuple(declarations),
            tuple(locations),
            start,
            edges,
        )

    def _location(self, element: xml.Element, template: str) -> ast.Location:
        _refuse_unknown(element, "location")
        key = element.attributes.get("id")
        if key is None:
            raise InputError("a <location> needs an id", element.span)
        named = _only(element, "name")
        name = named.words if named and named.words else f"_{key}"
        invariant: ast.Expression | None = None
        _refuse_twice(element)
        for label in element.all("label"):
            kind = label.attributes.get("kind")
            if kind == "invariant":
                if label.words:
                    parser = self._parser(label, f"the invariant of location {name} of {template}")
                    invariant = parser.conjunction()
                    parser.finished("the invariant")
            elif kind == "exponentialrate":
                continue
            elif kind not in _IGNORED_LABELS:
                raise InputError(f"a location has no label of kind {kind!r}", label.span)
        return ast.Location(
            element.span,
            name,
            key,
            invariant,
            element.first("urgent") is not None,
            element.first("committed") is not None,
        )

    def _edge(self, element: xml.Element, keys: dict[str, ast.Location], template: str) -> ast.Edge:
        _refuse_unknown(element, "transition")
        ends: list[str] = []
        for end in ("source", "target"):
            found = _only(element, end)
            if found is None:
                raise InputError(f"a <transition> needs a <{end}>", element.span)
            ref = found.attributes.get("ref", "")
            if ref not in keys:
                raise InputError(f"{template} has no location {ref!r}", found.span)
            ends.append(ref)
        way = f"the transition from {keys[ends[0]].name} to {keys[ends[1]].name} of {template}"
        select: tuple[ast.Variable, ...] = ()
        guard: ast.Expression | None = None
        sync: ast.Synchronisation | None = None
        updates: tuple[ast.Expression, ...] = ()
        texts: list[str] = []
        if element.attributes.get("controllable", "true") == "false":
            raise InputError("transitions that the environment controls are not supported", element.span)
        _refuse_twice(element)
        for label in element.all("label"):
            kind = label.attributes.get("kind", "")
            if kind in _IGNORED_LABELS or not label.words:
                continue
            parser = self._parser(label, f"the {kind} of {way}")
            match kind:
                case "select":
                    select = parser.select()
                case "guard":
                    guard = parser.conjunction()
                case "synchronisation":
                    sync = parser.synchronisation()
                case "assignment":
                    if parser.token.kind != "end":
                        updates = parser.expressions()
                case _:
                    raise InputError(f"a transition has no label of kind {kind!r}", label.span)
            parser.finished(f"the {kind}")
            texts.append(" ".join(label.words.split()))
        return ast.Edge(element.span, ends[0], ends[1], select, guard, sync, updates, "; ".join(texts))

    def _query(self, element: xml.Element) -> None:
        _refuse_unknown(element, "query")
        formula = element.first("formula")
        if formula is None or not formula.words:
            return
        comment = element.first("comment")
        unit = formula.unit
        self.model.places.append((unit.offsets[0], unit.offsets[-1], "a query"))
        self.model.queries.append(read_query(unit, " ".join(comment.words.split()) if comment else ""))


def _only(element: xml.Element, name: str) -> xml.Element | None:
    """The child of this name; raises InputError where there are two, for one of them would mean nothing."""
    first, *others = [*element.all(name), None]
    if first is not None and others[0] is not None:
        raise InputError(f"<{element.name}> has two elements <{name}>", others[0].span, "leave one of them out")
    return first


def _refuse_twice(element: xml.Element) -> None:
    """Of labels, whose kinds say what they are."""
    known: set[str] = set()
    for label in element.all("label"):
        kind = label.attributes.get("kind", "")
        if kind in known and kind not in _IGNORED_LABELS and label.words:
            raise InputError(f"<{element.name}> has two labels of kind {kind!r}", label.span, "write one of both")
        if label.words:
            known.add(kind)


def _refuse_unknown(element: xml.Element, name: str) -> None:
    for child in element.children:
        if child.name not in _KNOWN[name]:
            raise InputError(f"<{child.name}> is no element of <{element.name}>", child.span)
