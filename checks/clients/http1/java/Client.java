// Sends the requests of a file with java.net.http. See ../clients.mjs for the arguments and the output. Java reads no JSON by itself,
// so the file is a Properties file.

import java.io.FileInputStream;
import java.io.FileReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Properties;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

public class Client {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    public static void main(String[] arguments) throws Exception {
        var cases = new Properties();
        try (var reader = new FileReader(arguments[0])) {
            cases.load(reader);
        }
        var builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT);
        if (!arguments[1].isEmpty()) {
            builder.sslContext(trusting(arguments[1]));
        }
        var client = builder.build();
        for (var index = 0; cases.containsKey(index + ".url"); index++) {
            System.out.println(run(client, cases, index + "."));
        }
    }

    private static String run(HttpClient client, Properties cases, String prefix) {
        try {
            HttpResponse<byte[]> response = null;
            for (var left = Integer.parseInt(cases.getProperty(prefix + "times")); left > 0; left--) {
                response = client.send(request(cases, prefix), BodyHandlers.ofByteArray());
            }
            var headers = response.headers();
            return String.format(
                "{\"status\":%d,\"body\":\"%s\",\"length\":%s,\"coding\":%s}",
                response.statusCode(),
                Base64.getEncoder().encodeToString(response.body()),
                quoted(headers.firstValue("content-length").orElse(null)),
                quoted(headers.firstValue("transfer-encoding").orElse(null))
            );
        } catch (Exception error) {
            return String.format("{\"status\":%s}", quoted(error.toString()));
        }
    }

    private static HttpRequest request(Properties cases, String prefix) {
        var request = HttpRequest.newBuilder(URI.create(cases.getProperty(prefix + "url"))).timeout(TIMEOUT);
        for (var name : cases.stringPropertyNames()) {
            if (name.startsWith(prefix + "headers.")) {
                request.header(name.substring(prefix.length() + "headers.".length()), cases.getProperty(name));
            }
        }
        if (cases.containsKey(prefix + "close")) {
            request.header("Connection", "close");
        }
        request.expectContinue(cases.containsKey(prefix + "expect"));
        return request.method(cases.getProperty(prefix + "method"), body(cases, prefix)).build();
    }

    private static BodyPublisher body(Properties cases, String prefix) {
        var text = cases.getProperty(prefix + "body");
        if (text == null) {
            return BodyPublishers.noBody();
        }
        var bytes = Base64.getDecoder().decode(text);
        var chunk = cases.getProperty(prefix + "chunk");
        if (chunk == null) {
            return BodyPublishers.ofByteArray(bytes);
        }
        var size = Integer.parseInt(chunk);
        List<byte[]> chunks = new ArrayList<>();
        for (var start = 0; start < bytes.length; start += size) {
            chunks.add(Arrays.copyOfRange(bytes, start, Math.min(start + size, bytes.length)));
        }
        return BodyPublishers.ofByteArrays(chunks);
    }

    private static SSLContext trusting(String certificate) throws Exception {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (var file = new FileInputStream(certificate)) {
            store.setCertificateEntry("service", CertificateFactory.getInstance("X.509").generateCertificate(file));
        }
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    private static String quoted(String text) {
        return text == null ? "null" : "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", " ") + "\"";
    }
}
