import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.FileDescriptor;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoFileDescriptorSupplier;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The server of go/upstream in Java: Upstream PORT DESCRIPTORS */
public final class Upstream {
  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
          return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
          try {
            return stream.readAllBytes();
          } catch (IOException error) {
            throw new IllegalStateException(error);
          }
        }
      };

  public static void main(String[] args) throws Exception {
    var set = FileDescriptorSet.parseFrom(Files.readAllBytes(Path.of(args[1])));
    var builder = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])));
    Map<String, FileDescriptor> files = new HashMap<>();
    for (var proto : set.getFileList()) {
      var imports = proto.getDependencyList().stream().map(files::get).toArray(FileDescriptor[]::new);
      var file = FileDescriptor.buildFrom(proto, imports);
      files.put(proto.getName(), file);
      ProtoFileDescriptorSupplier schema = () -> file;
      for (var service : file.getServices()) {
        var methods = service.getMethods().stream()
            .map(method -> MethodDescriptor.newBuilder(BYTES, BYTES)
                .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                .setFullMethodName(service.getFullName() + "/" + method.getName())
                .build())
            .toList();
        var descriptor = ServiceDescriptor.newBuilder(service.getFullName()).setSchemaDescriptor(schema);
        methods.forEach(descriptor::addMethod);
        var definition = ServerServiceDefinition.builder(descriptor.build());
        methods.forEach(method -> definition.addMethod(method, Upstream::mirror));
        builder.addService(definition.build());
      }
    }
    Server server = builder
        .executor(Executors.newCachedThreadPool())
        .addService(ProtoReflectionServiceV1.newInstance())
        .build()
        .start();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      try {
        server.shutdown().awaitTermination(5, TimeUnit.SECONDS);
      } catch (InterruptedException error) {
        server.shutdownNow();
      }
    }));
    server.awaitTermination();
  }

  private static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  private static int number(Metadata metadata, String name, int otherwise) {
    var value = metadata.get(key(name));
    return value == null ? otherwise : Integer.parseInt(value);
  }

  private static ServerCall.Listener<byte[]> mirror(ServerCall<byte[], byte[]> call, Metadata metadata) {
    try {
      Thread.sleep(number(metadata, "x-sleep", 0));
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
    var deadline = Context.current().getDeadline();
    var echo = metadata.get(key("x-echo"));
    var header = new Metadata();
    var trailer = new Metadata();
    header.put(key("x-timeout"), deadline == null ? "none" : "" + deadline.timeRemaining(TimeUnit.MILLISECONDS));
    if (echo != null) {
      header.put(key("x-echo"), echo);
      trailer.put(key("x-echo-trailer"), echo);
    }
    call.sendHeaders(header);
    call.request(1);
    var fail = metadata.get(key("x-fail"));
    var times = number(metadata, "x-times", fail == null ? 1 : 0);
    return new ServerCall.Listener<>() {
      @Override
      public void onMessage(byte[] message) {
        for (int i = 0; i < times; i++) {
          call.sendMessage(message);
        }
        call.request(1);
      }

      @Override
      public void onHalfClose() {
        if (fail == null) {
          call.close(Status.OK, trailer);
          return;
        }
        trailer.put(
            Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER),
            Base64.getDecoder().decode(fail));
        call.close(Status.FAILED_PRECONDITION.withDescription("the mirror is broken: 100 %, “really”"), trailer);
      }
    };
  }
}
