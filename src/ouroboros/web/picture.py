"""A picture that a model brings: it draws it itself, or there is a file beside it with the same name and `.svg`.

The text of the file may hold expressions of the model's language in double braces, which are replaced by their values
in a state. Of what comes out, whatever could run, or load something from elsewhere, is taken out.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from xml.sax.saxutils import escape

from ouroboros.errors import InputError
from ouroboros.languages import DrawnModel, Model
from ouroboros.system.layout import Vector
from ouroboros.web.walks import Watch

_EXPRESSION = re.compile(r"\{\{(.+?)\}\}", re.DOTALL)
_LONGEST = 200_000
_SVG = "http://www.w3.org/2000/svg"

_ELEMENTS = frozenset(
    {"svg", "g", "defs", "title", "desc", "style", "rect", "circle", "ellipse", "line", "polyline", "polygon", "path"}
    | {"text", "tspan", "marker", "linearGradient", "radialGradient", "stop", "clipPath", "symbol", "use"}
)
_LOADING = re.compile(r"url\s*\((?!\s*['\"]?#)|@import|javascript:|expression\s*\(|-moz-binding", re.IGNORECASE)


def picture_of(model: Model, state: Vector) -> str | None:
    """The picture of a state, if the model has one; raises InputError where it cannot be drawn."""
    if isinstance(model, DrawnModel) and (text := model.picture(state)) is not None:
        return sanitised(text[:_LONGEST], "the picture")
    path = Path(model.system.source.name).with_suffix(".svg")
    try:
        template = path.read_text(encoding="utf-8")[:_LONGEST]
    except (OSError, UnicodeDecodeError):
        return None
    values: dict[str, str] = {}

    def value(found: re.Match[str]) -> str:
        text = found[1].strip()
        if text not in values:
            told = Watch(model, text).value(model.system, state)
            values[text] = "?" if told["error"] else escape(str(told["value"]))
        return values[text]

    return sanitised(_EXPRESSION.sub(value, template), path.name)


def sanitised(text: str, name: str) -> str:
    """Only shapes and words are left: elements and attributes that could run a script or load a file are not."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise InputError(f"{name}: a picture may not have a document type or entities")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError(f"{name}: this is no SVG: {error}") from None
    if _plain(root.tag) != "svg":
        raise InputError(f"{name}: this is no SVG: it begins with {_plain(root.tag)}")
    _clean(root)
    ElementTree.register_namespace("", _SVG)
    return ElementTree.tostring(root, encoding="unicode")


def _clean(element: ElementTree.Element) -> None:
    for attribute, value in list(element.attrib.items()):
        name = _plain(attribute).lower()
        refers = name == "href" and not value.strip().startswith("#")
        if name.startswith("on") or refers or _LOADING.search(value):
            del element.attrib[attribute]
    if _plain(element.tag) == "style" and _LOADING.search(element.text or ""):
        element.text = ""
    for child in list(element):
        if not isinstance(child.tag, str) or _plain(child.tag) not in _ELEMENTS:
            element.remove(child)
        else:
            _clean(child)


def _plain(tag: str) -> str:
    return tag.rpartition("}")[2]
