"""The OpenAPI document: what the API takes and gives, written beside nothing else."""

from collections.abc import Sequence
from typing import Any

from webmine_assets import __version__
from webmine_assets.records import Decision
from webmine_assets.stages.operation import (
    DEFAULT_BATCH_SIZE,
    MAX_BATCH_SIZE,
    EnhanceStatus,
)
from webmine_assets.studio.enhancement import TaskState
from webmine_assets.studio.questions.ledger import FAILED

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "integer"}
_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_OBJECT: Schema = {"type": "object"}
_OPTIONAL_TEXT: Schema = {"type": ["string", "null"]}


def _parameter(name: str, schema: Schema, about: str, *, required: bool = False) -> Schema:
    return {
        "name": name,
        "in": "query",
        "required": required,
        # A form sends its empty fields too: they count as not there.
        "allowEmptyValue": not required,
        "schema": schema,
        "description": about,
    }


def _whole(low: int, high: int, default: int) -> Schema:
    return {"type": "integer", "minimum": low, "maximum": high, "default": default}


def _short(limit: int) -> Schema:
    return {"type": "string", "maxLength": limit}


def _needed(limit: int, about: str) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": limit, "description": about}


def _list_of(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _record(**fields: Schema) -> Schema:
    return {"type": "object", "properties": fields, "required": list(fields)}


_DAY: Schema = {"type": "string", "format": "date"}
_DECISION: Schema = {"type": "string", "enum": [decision.value for decision in Decision]}
_LEDGER_DECISION: Schema = {"type": "string", "enum": [FAILED, *_DECISION["enum"]]}
_PAGE = _parameter("page", _whole(1, 100_000, 1), "screen, counted from 1")
_FILTERS = [
    _parameter("institution", _short(63), "institution id"),
    _parameter("language", _short(20), "ISO 639-1, such as en"),
    _parameter("topic", _short(100), "a topic of page_topics"),
    _parameter("decision", _DECISION, "what the last crawl decided about the page"),
    _parameter("since", _DAY, "published or changed on or after"),
    _parameter("until", _DAY, "published or changed on or before"),
    _parameter("limit", _whole(1, 100, 25), "rows on a screen"),
    _PAGE,
]
_PAGE_OF_RULE = _parameter("page", _short(100), "id of the page to try on", required=True)
_PAGES = _record(total=_NUMBER, pages=_list_of(_OBJECT))
_PREVIEW = _record(
    elements=_NUMBER,
    textShare=_SHARE,
    contentShare=_SHARE,
    warning={"type": "boolean"},
    before=_TEXT,
    after=_TEXT,
    diff=_list_of(_record(kind=_TEXT, text=_TEXT)),
    sampled=_NUMBER,
    touched=_NUMBER,
    harsh=_NUMBER,
    meanTextShare=_SHARE,
    pages=_list_of(_OBJECT),
    marked=_list_of(_NUMBER),
)
_ENHANCE_REQUEST: Schema = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "contentIds": {
            "type": ["array", "null"],
            "items": _short(100),
            "maxItems": 1000,
            "description": "page ids; without them the pages that need it",
        },
        "batchSize": _whole(1, MAX_BATCH_SIZE, DEFAULT_BATCH_SIZE),
        "forceRescrape": {
            "type": "boolean",
            "default": False,
            "description": "also pages that are up to date; nothing is fetched",
        },
    },
}
_ENHANCE_ANSWER = _record(
    message=_TEXT,
    processed=_NUMBER,
    enhanced=_NUMBER,
    results=_list_of(
        _record(
            id=_TEXT,
            url=_OPTIONAL_TEXT,
            status={"type": "string", "enum": [status.value for status in EnhanceStatus]},
            fieldsAdded=_list_of(_TEXT),
        )
    ),
)
_RULE_REQUEST: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["institution", "value"],
    "properties": {
        "institution": _needed(63, "institution id"),
        "type": {
            "type": "string",
            "enum": ["css_selector", "xpath"],
            "description": "how to read value",
        },
        "value": _needed(500, "the selector"),
        "description": {**_short(300), "description": "what the rule removes, for people"},
    },
}
_TASK = _record(
    number=_NUMBER,
    institution=_TEXT,
    state={"type": "string", "enum": [state.value for state in TaskState]},
    queued_at={"type": "string", "format": "date-time"},
    note=_TEXT,
    finished_at={"type": ["string", "null"], "format": "date-time"},
)
_RULE_ANSWER = _record(
    institution=_TEXT,
    rule=_record(type=_TEXT, value=_TEXT, description=_TEXT, created_at=_OPTIONAL_TEXT),
    task=_TASK,
)
_SQL_REQUEST: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["sql"],
    "properties": {"sql": _needed(20_000, "one SELECT, DESCRIBE or SHOW")},
}
_SQL_ANSWER = _record(
    columns=_list_of(_TEXT),
    rows=_list_of({"type": "array"}),
    isCut={"type": "boolean"},
    milliseconds=_NUMBER,
)


def build_openapi() -> dict[str, Any]:
    """The whole document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "webmine studio",
            "version": __version__,
            "description": "Read the corpus, try extraction rules, enhance stored pages. Nothing "
            "here fetches from the web.",
        },
        "paths": _paths(),
        "components": {
            "schemas": {"Problem": _PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def query_names() -> dict[tuple[str, str], frozenset[str]]:
    """The names in the query string that each method of each address takes."""
    return {
        (method.upper(), path): frozenset(
            parameter["name"]
            for parameter in operation.get("parameters", ())
            if parameter["in"] == "query"
        )
        for path, operations in _paths().items()
        for method, operation in operations.items()
    }


_PROBLEM = _record(type=_TEXT, title=_TEXT, status=_NUMBER, detail=_TEXT)


def _paths() -> dict[str, Any]:
    return {**_reading_paths(), **_rule_paths(), **_work_paths()}


def _reading_paths() -> dict[str, Any]:
    words = _parameter("q", _short(500), "words")
    needed_words = _parameter("q", {**_short(500), "minLength": 1}, "words", required=True)
    return {
        "/api/institutions": _get(
            "Institutions with pages and freshness",
            "institutions",
            answer=_record(institutions=_list_of(_OBJECT)),
        ),
        "/api/pages": _get(
            "Pages by words and filters", "pages", answer=_PAGES, parameters=[words, *_FILTERS]
        ),
        "/api/pages/{page_id}": _get(
            "Everything known about a page", "page", answer=_OBJECT, parameters=[_PAGE_ID]
        ),
        "/api/search": _get(
            "Pages by words, best first",
            "search",
            answer=_PAGES,
            parameters=[needed_words, *_FILTERS],
        ),
        "/api/ledger": _get(
            "What was decided about URLs",
            "ledger",
            answer=_record(total=_NUMBER, urls=_list_of(_OBJECT)),
            parameters=_LEDGER,
        ),
    }


def _rule_paths() -> dict[str, Any]:
    element = _parameter("element", _whole(0, 10_000_000, 0), "its position", required=True)
    words = _parameter("words", {**_short(300), "minLength": 1}, "what to remove", required=True)
    return {
        "/api/rules/pick": _get(
            "Selectors for an element of a page",
            "pickElement",
            answer=_OBJECT,
            parameters=[_PAGE_OF_RULE, element],
        ),
        "/api/rules/propose": _get(
            "Selectors for what is described in words",
            "proposeRules",
            answer=_record(proposals=_list_of(_OBJECT), note=_TEXT),
            parameters=[_PAGE_OF_RULE, words],
        ),
        "/api/rules/preview": _get(
            "What a rule would remove, here and on sampled pages",
            "previewRule",
            answer=_PREVIEW,
            parameters=[_PAGE_OF_RULE, *_RULE],
        ),
        "/api/rules": {
            **_post(
                "Save a rule and enhance the institution again",
                "saveRule",
                body=_RULE_REQUEST,
                answer=_RULE_ANSWER,
                status="201",
            ),
            **_delete(
                "Take a rule away and enhance the institution again",
                "removeRule",
                answer=_RULE_ANSWER,
                parameters=[_OWNER, *_RULE],
            ),
        },
    }


def _work_paths() -> dict[str, Any]:
    return {
        "/api/enhance/metadata": _post(
            "Enhance a batch of stored pages",
            "enhanceMetadata",
            body=_ENHANCE_REQUEST,
            answer=_ENHANCE_ANSWER,
        ),
        "/api/tasks": _get(
            "Enhancements that wait, run or ran",
            "tasks",
            answer=_record(tasks=_list_of(_TASK)),
        ),
        "/api/sql": _post(
            "One read-only question over the views", "sql", body=_SQL_REQUEST, answer=_SQL_ANSWER
        ),
    }


_PAGE_ID: Schema = {
    "name": "page_id",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
    "description": "page_id of every table",
}
_LEDGER = [
    _parameter("institution", _short(63), "institution id"),
    _parameter("decision", _LEDGER_DECISION, "what was decided; failed is any of the errors"),
    _parameter("reason", _short(100), "the rule or cause"),
    _parameter("url", _short(2000), "a part of the address"),
    _parameter("limit", _whole(1, 500, 50), "rows on a screen"),
    _PAGE,
]
_OWNER = _parameter("institution", {**_short(63), "minLength": 1}, "institution id", required=True)
_RULE = [
    _parameter("type", {"type": "string", "enum": ["css_selector", "xpath"]}, "how to read value"),
    _parameter("value", {**_short(500), "minLength": 1}, "the selector", required=True),
]


def _get(summary: str, name: str, *, answer: Schema, parameters: Sequence[Schema] = ()) -> Schema:
    operation = _operation(summary, name, answer=answer)
    return {"get": {**operation, "parameters": list(parameters)}}


def _delete(summary: str, name: str, *, answer: Schema, parameters: Sequence[Schema]) -> Schema:
    return {"delete": _get(summary, name, answer=answer, parameters=parameters)["get"]}


def _post(summary: str, name: str, *, body: Schema, answer: Schema, status: str = "200") -> Schema:
    operation = _operation(summary, name, answer=answer, status=status)
    content = {"application/json": {"schema": body}}
    return {"post": {**operation, "requestBody": {"required": True, "content": content}}}


def _operation(summary: str, name: str, *, answer: Schema, status: str = "200") -> Schema:
    problem = {"$ref": "#/components/schemas/Problem"}
    return {
        "summary": summary,
        "operationId": name,
        "responses": {
            status: _response("done", "application/json", answer),
            "default": _response("a problem", "application/problem+json", problem),
        },
    }


def _response(about: str, media_type: str, schema: Schema) -> Schema:
    return {"description": about, "content": {media_type: {"schema": schema}}}
