"""Calls every operation with the client that openapi-python-client generates, and prints a report as report.ts does."""

import hashlib
import json
import os
import re
from urllib.request import urlopen

from utility_tools_client import AuthenticatedClient
from utility_tools_client.api.about_service import about_get_about
from utility_tools_client.api.barcode_service import barcode_render_barcode
from utility_tools_client.api.countries_service import countries, countries_search_countries
from utility_tools_client.api.email_service import (
    email_batch_sanitize_emails,
    email_explain_email,
    email_sanitize_email,
)
from utility_tools_client.api.geo_ip_service import geo_ip_batch_lookup_ips, geo_ip_lookup_ip, geo_ip_lookup_self
from utility_tools_client.api.otp_service import otp
from utility_tools_client.models import (
    BadRequest,
    BarcodeRenderBarcodeFormat,
    BatchLookupIpsRequest,
    BatchSanitizeEmailsRequest,
    Country,
    Error,
    ErrorInfo,
    ExplainEmailRequest,
    GenerateOtpBody,
    GenerateOtpBodyDigits,
    GenerateOtpResponse,
    GeoIpLookupSelfView,
    IpLookupAnswer,
    SanitizedEmailAnswer,
    SanitizeEmailBody,
    SanitizeEmailBodyFormat,
    VerifyOtpBody,
    VerifyOtpBodyDigits,
    VerifyOtpResponse,
)

EMAIL = "Jane.Doe+news@GoogleMail.com"
URL = os.environ["UTILITY_TOOLS_URL"]

client = AuthenticatedClient(
    base_url=URL, token=os.environ["UTILITY_TOOLS_API_KEY"], headers={"X-Forwarded-For": "8.8.8.8"}
)


def describe_otp():
    body = GenerateOtpBody(
        type_="time_based",
        action="generate",
        label="jane@example.com",
        issuer="Example",
        digits=GenerateOtpBodyDigits.VALUE_8,
    )
    generated = otp.sync(client=client, body=body)
    assert isinstance(generated, GenerateOtpResponse)
    digits = VerifyOtpBodyDigits(generated.digits.value)
    body = VerifyOtpBody(type_="time_based", action="verify", secret=generated.secret, digits=digits)
    verified = otp.sync(client=client, body=body)
    assert isinstance(verified, VerifyOtpResponse)
    return {
        "generated": [
            generated.algorithm.value,
            generated.digits.value,
            generated.period.value,
            generated.label,
            generated.issuer,
        ],
        "secret": generated.secret,
        "isSameSecret": verified.secret == generated.secret,
        "code": verified.otp_codes["current"],
        "times": sorted(verified.otp_codes.additional_keys),
    }


def describe_countries():
    every = countries.sync(client=client)
    france = countries.sync(client=client, country="fr")
    assert isinstance(every, list) and isinstance(france, Country)
    return {"count": len(every), "first": every[0].code3, "capital": france.capital}


def search():
    (match,) = countries_search_countries.sync(client=client, query="bayern", limit=1)
    return [match.value, match.kind.value, match.country.code3, match.state.code]


def describe_address(found):
    return [found.ip, found.metadata.location.country, found.metadata.asn]


def describe_self():
    found = geo_ip_lookup_self.sync(client=client, view=GeoIpLookupSelfView.FULL)
    return [*describe_address(found), found.metadata.details.city]


def look_up_all():
    request = BatchLookupIpsRequest(ip_addresses=["1.1.1.1", "10.0.0.1", "nonsense"])
    return [
        each.answer.metadata.asn_name if isinstance(each, IpLookupAnswer) else each.error.reason
        for each in geo_ip_batch_lookup_ips.sync(client=client, body=request).results
    ]


def sanitize():
    # The generated function returns both formats as text.
    as_text = email_sanitize_email.sync(client=client, body=SanitizeEmailBody(email=EMAIL))
    body = SanitizeEmailBody(email=EMAIL, format_=SanitizeEmailBodyFormat.JSON)
    as_json = email_sanitize_email.sync(client=client, body=body)
    return {"text": as_text, "json": json.loads(as_json)["email"]}


def explain():
    explained = email_explain_email.sync(client=client, body=ExplainEmailRequest(email=EMAIL))
    return [explained.email, *(step.rule.value for step in explained.steps)]


def sanitize_all():
    request = BatchSanitizeEmailsRequest(emails=[EMAIL, "nobody"])
    return [
        each.answer.email if isinstance(each, SanitizedEmailAnswer) else each.error.reason
        for each in email_batch_sanitize_emails.sync(client=client, body=request).results
    ]


def image(image_format):
    # The generator knows no media types of images, so that the image is in `content`.
    response = barcode_render_barcode.sync_detailed(
        client=client, type_="qr_code", data="https://example.com/", format_=image_format
    )
    return hashlib.sha256(response.content).hexdigest()


def describe_about():
    about = about_get_about.sync(client=client)
    return {"version": about.version, "licenses": [source.license for source in about.sources]}


def describe_error(failure):
    assert isinstance(failure, Error)
    described = {"code": failure.error.code, "reason": "", "range": "", "fields": []}
    for detail in failure.error.details:
        if isinstance(detail, ErrorInfo):
            described["reason"] = detail.reason
            if detail.metadata:
                described["range"] = detail.metadata["range"]
        elif isinstance(detail, BadRequest):
            described["fields"] = [[each.field, each.reason] for each in detail.field_violations]
    return described


def wrong_patterns(value):
    """Return the patterns of the document that are invalid here, or do not match their examples."""
    wrong = []
    if isinstance(value, list):
        for each in value:
            wrong += wrong_patterns(each)
    elif isinstance(value, dict):
        pattern = value.get("pattern")
        if isinstance(pattern, str):
            try:
                expression = re.compile(pattern)
                if not all(expression.search(example) for example in value.get("examples", [])):
                    wrong.append(pattern)
            except re.error:
                wrong.append(pattern)
        for each in value.values():
            wrong += wrong_patterns(each)
    return wrong


with urlopen(f"{URL}/openapi.json") as response:
    DOCUMENT = json.load(response)

print(
    json.dumps(
        {
            "otp": describe_otp(),
            "countries": describe_countries(),
            "countriesSearchCountries": search(),
            "geoIpLookupIp": describe_address(geo_ip_lookup_ip.sync(client=client, ip_address="8.8.8.8")),
            "geoIpLookupSelf": describe_self(),
            "geoIpBatchLookupIps": look_up_all(),
            "emailSanitizeEmail": sanitize(),
            "emailExplainEmail": explain(),
            "emailBatchSanitizeEmails": sanitize_all(),
            "barcodeRenderBarcode": {
                "svg": image(BarcodeRenderBarcodeFormat.SVG),
                "png": image(BarcodeRenderBarcodeFormat.PNG),
            },
            "aboutGetAbout": describe_about(),
            "errors": [
                describe_error(geo_ip_lookup_ip.sync(client=client, ip_address="10.0.0.1")),
                describe_error(email_explain_email.sync(client=client, body=ExplainEmailRequest(email="nobody"))),
            ],
            "patterns": wrong_patterns(DOCUMENT),
        }
    )
)
