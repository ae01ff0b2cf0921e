"""Calls a server with Google's Python clients over REST: `google-python.py HOST:PORT`. Prints what they read, a line for each call."""

import sys

from google.ai import generativelanguage_v1 as language
from google.ai.generativelanguage_v1.services.generative_service import transports
from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials

host = sys.argv[1]
transport = transports.GenerativeServiceRestTransport(
    host=host, url_scheme="http", credentials=AnonymousCredentials()
)
client = language.GenerativeServiceClient(transport=transport)


def request(text, model="models/a"):
    part = language.Part(text=text)
    return language.GenerateContentRequest(model=model, contents=[language.Content(parts=[part], role="user")])


def text_of(response):
    return response.candidates[0].content.parts[0].text


print("unary", text_of(client.generate_content(request("a"))))
print("enum", client.generate_content(request("a")).candidates[0].finish_reason.name)
print("stream", *[text_of(each) for each in client.stream_generate_content(request("3"))])
print("empty stream", *[text_of(each) for each in client.stream_generate_content(request("0"))])
print("brackets", *[text_of(each) for each in client.stream_generate_content(request('}],"\\é'))])
try:
    client.generate_content(request("missing"))
except exceptions.GoogleAPICallError as error:
    # The message begins with the URL.
    print("error", type(error).__name__, error.message.split(": ")[-1], error.reason)
# The client takes the error after the last message for a message without fields.
failing = client.stream_generate_content(request("3", "models/failing"))
print("stream that fails", *[text_of(each) if each.candidates else "(empty)" for each in failing])
