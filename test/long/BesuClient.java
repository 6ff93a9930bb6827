import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.web3j.protocol.besu.Besu;
import org.web3j.protocol.besu.response.BesuSignerMetric;
import org.web3j.protocol.besu.response.BesuSignerMetrics;
import org.web3j.protocol.core.DefaultBlockParameterName;
import org.web3j.protocol.core.Request;
import org.web3j.protocol.core.Response;
import org.web3j.protocol.http.HttpService;

/** Calls the methods of a consensus through web3j and prints one line per answer. Arguments: clique, ibft or qbft; URL; account. */
public class BesuClient {
  public static void main(String[] arguments) throws Exception {
    String account = arguments[2];
    HttpService service = new HttpService(arguments[1]);
    Besu besu = Besu.build(service);
    var latest = DefaultBlockParameterName.LATEST;
    String hash = result(besu.ethGetBlockByNumber(latest, false)).getBlock().getHash();
    print("block", hash);
    switch (arguments[0]) {
      case "clique" -> {
        print("members", result(besu.cliqueGetSigners(latest)).getAccounts());
        print("membersAtHash", result(besu.cliqueGetSignersAtHash(hash)).getAccounts());
        print("proposed", result(besu.cliquePropose(account, true)).success());
        print("votes", sorted(result(besu.cliqueProposals()).getAccounts()));
        print("discarded", result(besu.cliqueDiscard(account)).success());
        print("votesLeft", sorted(result(besu.cliqueProposals()).getAccounts()));
      }
      case "ibft" -> {
        print("members", result(besu.ibftGetValidatorsByBlockNumber(latest)).getAccounts());
        print("membersAtHash", result(besu.ibftGetValidatorsByBlockHash(hash)).getAccounts());
        print("proposed", result(besu.ibftProposeValidatorVote(account, true)).success());
        print("votes", sorted(result(besu.ibftGetPendingVotes()).getAccounts()));
        print("discarded", result(besu.ibftDiscardValidatorVote(account)).success());
        print("votesLeft", sorted(result(besu.ibftGetPendingVotes()).getAccounts()));
        print("sealers", sealers(result(besu.ibftGetSignerMetrics())));
      }
      case "qbft" -> {
        print("members", result(besu.qbftGetValidatorsByBlockNumber(latest)).getAccounts());
        print("membersAtHash", result(besu.qbftGetValidatorsByBlockHash(hash)).getAccounts());
        print("proposed", result(besu.qbftProposeValidatorVote(account, true)).success());
        print("votes", sorted(result(besu.qbftGetPendingVotes()).getAccounts()));
        print("discarded", result(besu.qbftDiscardValidatorVote(account)).success());
        print("votesLeft", sorted(result(besu.qbftGetPendingVotes()).getAccounts()));
        print("sealers", sealers(result(besu.qbftGetSignerMetrics())));
      }
      default -> throw new IllegalArgumentException(arguments[0]);
    }
    besu.shutdown();
    // The threads of the HTTP client would delay the end by a minute.
    System.exit(0);
  }

  private static <T extends Response<?>> T result(Request<?, T> request) throws Exception {
    T response = request.send();
    if (response.hasError()) throw new IllegalStateException(request.getMethod() + ": " + response.getError().getMessage());
    return response;
  }

  private static Map<String, Boolean> sorted(Map<String, Boolean> votes) {
    return new TreeMap<>(votes);
  }

  /** The genesis block counts for the zero address. */
  private static List<String> sealers(BesuSignerMetrics metrics) {
    return metrics.getSignerMetrics().stream()
        .filter(metric -> metric.getLastProposedBlockNumber().signum() > 0)
        .map(BesuSignerMetric::getAddress)
        .toList();
  }

  private static void print(String name, Object value) {
    System.out.println(name + "=" + value);
  }
}
