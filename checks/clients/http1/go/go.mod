module utility-tools/checks/clients/http1

go 1.25.0
