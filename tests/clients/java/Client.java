import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** {@code java Client KIND URL…}: with HttpClient or HttpURLConnection. */
public class Client {
    public static void main(String[] arguments) throws Exception {
        for (int index = 1; index < arguments.length; index++) {
            URI url = URI.create(arguments[index]);
            System.out.println(arguments[0].equals("client") ? client(url) : connection(url));
        }
    }

    static String client(URI url) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(url).build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        return response.statusCode() + " " + response.body();
    }

    static String connection(URI url) throws Exception {
        HttpURLConnection connection = (HttpURLConnection) url.toURL().openConnection();
        try (var stream = connection.getInputStream()) {
            return connection.getResponseCode() + " " + new String(stream.readAllBytes());
        }
    }
}
