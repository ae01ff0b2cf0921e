module utility-tools/test/clients/http1

go 1.25.0
