"""Extends schemathesis: a check of its own, and the failures that are false alarms."""

import re

import jsonschema_rs
import schemathesis
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.openapi.checks import RejectedPositiveData


@schemathesis.check
def documented_error(ctx, response, case):
    """
    An error is JSON of the documented schema, and has a documented status. The checks of schemathesis leave out requests with
    another HTTP method or content type than the document has; this one does not.
    """
    status = response.status_code
    if status < 400:
        return
    document = case.operation.schema.raw_schema
    method = response.request.method
    methods = {each.upper() for each in document["paths"][case.path]}
    if method in methods:
        documented = document["paths"][case.path][method.lower()]["responses"]
        assert str(status) in documented, f"{status} is not documented for {method}"
    elif method not in KNOWN_METHODS:
        assert status == 501, f"{status} for {method}, which the server does not know"
    else:
        # No operation can document this.
        assert status == 405, f"{status} for {method}, which the document does not have"
        allowed = set(response.headers["allow"][0].split(", "))
        assert allowed - {"HEAD", "OPTIONS"} == methods, f"Allow is {allowed}"
    content_type = response.headers["content-type"][0]
    assert content_type == "application/json; charset=utf-8", f"an error has the type {content_type}"
    schema = {"$ref": "#/components/schemas/Error", "components": document["components"]}
    error = response.json()
    jsonschema_rs.validate(schema, error)
    assert error["error"]["code"] == status, f"an error with the status {status} has another code"


def query(case):
    return case.query or {}


def body(case):
    return case.body if isinstance(case.body, dict) else {}


def has_null(*names):
    """A JSON body has null in place of one of these optional properties."""
    return lambda case, response: case.media_type == "application/json" and any(
        name in body(case) and body(case)[name] is None for name in names
    )


def has_member_of_other_method(case, response):
    """A body has a parameter that only other methods on the path have."""
    of_actions = {"generate": {"secret", "key_uri"}, "verify": {"label", "issuer"}}
    of_types = {"time_based": {"counter"}, "counter_based": {"period"}}
    chosen = body(case)
    others = of_actions.get(str(chosen.get("action")), set()) | of_types.get(str(chosen.get("type")), set())
    return not others.isdisjoint(chosen)


def matches(part, name, pattern):
    """A parameter of the query or a member of a JSON body has a value that matches a pattern as a whole."""
    return lambda case, response: re.fullmatch(pattern, str(part(case).get(name))) is not None


def unknown_is_ignored(part, name):
    """The same has an unknown name of an enum value, where the service ignores it, as it ignores unknown members."""

    def applies(case, response):
        schemas = case.operation.schema.raw_schema["components"]["schemas"]
        is_ignored = "additionalProperties" not in schemas["BatchLookupIpsRequest"]
        return is_ignored and (part is query or isinstance(body(case).get(name), str)) and name in part(case)

    return applies


def has_reason(reason):
    """The error has a violation with this reason."""

    def applies(case, response):
        details = response.json()["error"]["details"]
        return any(each["reason"] == reason for detail in details for each in detail.get("fieldViolations", []))

    return applies


KNOWN_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"}

VIEW = r"-?[0-9.eE+-]+|LOOKUP_VIEW_[A-Z]+"

FALSE_ALARMS = [
    # In ProtoJSON, null means that a field is absent. Only few clients send it, so the document does not mention it.
    (AcceptedNegativeData, "POST /v1/otp", has_null("digits", "label", "issuer", "algorithm", "period", "counter", "secret", "key_uri")),
    (AcceptedNegativeData, "POST /v1/sanitizeEmail", has_null("format")),
    (AcceptedNegativeData, "POST /v1/geoIp:batch", has_null("view")),
    # Parameters of the other method on a path are ignored, even if unknown ones are rejected. The stateful phase sends them: it
    # replaces members of a generated body by those of a link.
    (AcceptedNegativeData, "POST /v1/otp", has_member_of_other_method),
    # In ProtoJSON, an enum value can be written as its number and as its proto name, and an unknown number is the default.
    (AcceptedNegativeData, "GET /v1/barcode", matches(query, "format", r"-?[0-9.eE+-]+|FORMAT_[A-Z]+")),
    (AcceptedNegativeData, "GET /v1/barcode", matches(query, "error_correction", r"-?[0-9.eE+-]+|ERROR_[A-Z_]+")),
    (AcceptedNegativeData, "GET /v1/geoIp", matches(query, "view", VIEW)),
    (AcceptedNegativeData, "GET /v1/geoIp/self", matches(query, "view", VIEW)),
    (AcceptedNegativeData, "POST /v1/geoIp:batch", matches(body, "view", VIEW)),
    (AcceptedNegativeData, "POST /v1/geoIp:batch", unknown_is_ignored(body, "view")),
    (AcceptedNegativeData, "GET /v1/barcode", unknown_is_ignored(query, "format")),
    (AcceptedNegativeData, "GET /v1/barcode", unknown_is_ignored(query, "error_correction")),
    (AcceptedNegativeData, "GET /v1/geoIp", unknown_is_ignored(query, "view")),
    (AcceptedNegativeData, "GET /v1/geoIp/self", unknown_is_ignored(query, "view")),
    # Limits that a schema cannot express: on label and issuer together, and on bytes.
    (RejectedPositiveData, "POST /v1/otp", has_reason("OTP_URL_TOO_LONG")),
    (RejectedPositiveData, "GET /v1/barcode", has_reason("DATA_DOES_NOT_FIT")),
    # A secret or a key URI is required, they must not contradict each other, and the pattern of key URIs matches more.
    (RejectedPositiveData, "POST /v1/otp", has_reason("REQUIRED")),
    (RejectedPositiveData, "POST /v1/otp", has_reason("INVALID_KEY_URI")),
    (RejectedPositiveData, "POST /v1/otp", has_reason("KEY_URI_OF_OTHER_TYPE")),
    (RejectedPositiveData, "POST /v1/otp", has_reason("CONTRADICTS_KEY_URI")),
    # A text with an address has no pattern: the errors are those of addresses.
    (RejectedPositiveData, "POST /v1/sanitizeEmail:explain", lambda case, response: response.status_code == 400),
    # The pattern matches more than language tags: subtags must be different, and the service has names in the language.
    (RejectedPositiveData, "GET /v1/countries", has_reason("INVALID_LANGUAGE")),
    (RejectedPositiveData, "GET /v1/countries", has_reason("UNSUPPORTED_LANGUAGE")),
    # The pattern has all numbers of ten digits.
    (RejectedPositiveData, "GET /v1/geoIp/asn", has_reason("INVALID_ASN")),
    # The colors depend on each other, and the size on the text.
    (RejectedPositiveData, "GET /v1/barcode", has_reason("CONTRAST_TOO_LOW")),
    (RejectedPositiveData, "GET /v1/barcode", has_reason("LIGHT_ON_DARK")),
    (RejectedPositiveData, "GET /v1/barcode", has_reason("SIZE_TOO_SMALL")),
    (RejectedPositiveData, "GET /v1/barcode", has_reason("NOT_FOR_TEXT")),
]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Returns whether a failure counts."""
    if response.status_code == 501 and response.request.method not in KNOWN_METHODS:
        # Schemathesis expects 405 for every method, but RFC 9110, section 15.6.2, has 501 for those that a server does not know.
        return False
    return not any(
        isinstance(failure, kind) and case.operation.label == operation and applies(case, response)
        for kind, operation, applies in FALSE_ALARMS
    )


@schemathesis.hook.apply_to(path="/v1/sanitizeEmail:explain")
def map_body(context, body):
    """A text with an address has no pattern, so that hardly any random text has one. Makes an address of every other text."""
    text = body.get("email") if isinstance(body, dict) else None
    if isinstance(text, str) and len(text) % 2 == 1 and len(text) < 900:
        local_part = re.sub(r"[^a-z0-9]", "", text.lower())[:60]
        return {**body, "email": f"Ann <{local_part or 'ann'}@example.com>"}
    return body
