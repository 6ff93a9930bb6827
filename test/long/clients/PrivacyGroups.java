import java.math.BigInteger;
import java.util.List;
import org.web3j.crypto.Credentials;
import org.web3j.protocol.besu.Besu;
import org.web3j.protocol.besu.privacy.OnChainPrivacyTransactionBuilder;
import org.web3j.protocol.besu.response.privacy.PrivacyGroup;
import org.web3j.protocol.besu.response.privacy.PrivateTransactionReceipt;
import org.web3j.protocol.core.DefaultBlockParameterName;
import org.web3j.protocol.core.Response;
import org.web3j.protocol.core.methods.request.EthFilter;
import org.web3j.protocol.http.HttpService;
import org.web3j.tx.BesuPrivateTransactionManager;
import org.web3j.tx.LegacyPrivateTransactionManager;
import org.web3j.tx.PrivateTransactionManager;
import org.web3j.tx.response.PollingPrivateTransactionReceiptProcessor;
import org.web3j.utils.Base64String;
import org.web3j.utils.Restriction;

/** Arguments: URL, chain id, key of the node, key of another member, init code, kind of groups, creation of a flexible group. Prints "passed". */
public class PrivacyGroups {
  private static final BigInteger GAS = BigInteger.valueOf(3_000_000);
  private static final Credentials SENDER =
      Credentials.create("0x8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63");
  private static final String DATA = "0x" + "0".repeat(62) + "2a";

  private final Besu besu;
  private final long chainId;
  private final Base64String own;
  private final List<Base64String> members;
  private final PollingPrivateTransactionReceiptProcessor receipts;

  private PrivacyGroups(final String[] args) {
    besu = Besu.build(new HttpService(args[0]));
    chainId = Long.parseLong(args[1]);
    own = Base64String.wrap(args[2]);
    members = List.of(own, Base64String.wrap(args[3]));
    receipts = new PollingPrivateTransactionReceiptProcessor(besu, 500, 60);
  }

  public static void main(final String[] args) throws Exception {
    final PrivacyGroups flows = new PrivacyGroups(args);
    if (args[5].equals("flexible")) flows.flexible(args[4], args[6]);
    else flows.byKeys(args[4]);
    System.out.println("passed");
    System.exit(0);
  }

  private void byKeys(final String code) throws Exception {
    final PrivateTransactionManager legacy =
        new LegacyPrivateTransactionManager(
            besu, SENDER, receipts, chainId, own, List.of(members.get(1)), Restriction.RESTRICTED);
    use(legacy, code);

    final Base64String id =
        checked(besu.privCreatePrivacyGroup(members, "name", "description").send()).getPrivacyGroupId();
    final List<PrivacyGroup> found = checked(besu.privFindPrivacyGroup(members).send()).getGroups();
    require(found.stream().anyMatch((group) -> group.getPrivacyGroupId().equals(id)), "the group is not found");
    use(new BesuPrivateTransactionManager(besu, SENDER, receipts, chainId, own, id, Restriction.RESTRICTED), code);
  }

  private void flexible(final String code, final String creation) throws Exception {
    final Base64String id = Base64String.wrap(new byte[] {
      9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9
    });
    final PrivateTransactionManager manager =
        new BesuPrivateTransactionManager(besu, SENDER, receipts, chainId, own, id, Restriction.RESTRICTED);
    send(manager, OnChainPrivacyTransactionBuilder.OnChainPrivacyPrecompiledContract, creation);
    use(manager, code);
    mined(checked(besu.privOnChainSetGroupLockState(id, SENDER, own, true).send()).getTransactionHash());
    mined(checked(besu.privOnChainSetGroupLockState(id, SENDER, own, false).send()).getTransactionHash());
  }

  /** Deploys a contract, sends to it, calls it, and reads its logs. */
  private void use(final PrivateTransactionManager manager, final String code) throws Exception {
    final PrivateTransactionReceipt deployed = send(manager, null, code);
    final String id = deployed.getPrivacyGroupId();
    final String contract = deployed.getContractAddress();
    final PrivateTransactionReceipt sent = send(manager, contract, DATA);
    require(sent.getLogs().size() == 1, "the receipt has no log");
    require(manager.sendCall(contract, "0x", DefaultBlockParameterName.LATEST).equals(DATA), "another value");
    require(manager.getCode(contract, DefaultBlockParameterName.LATEST).getCode().length() > 2, "no code");
    final EthFilter filter =
        new EthFilter(DefaultBlockParameterName.EARLIEST, DefaultBlockParameterName.LATEST, contract);
    require(checked(besu.privGetLogs(id, filter).send()).getLogs().size() == 1, "no logs");
    final BigInteger polled = checked(besu.privNewFilter(id, filter).send()).getFilterId();
    final String filterId = "0x" + polled.toString(16);
    require(checked(besu.privGetFilterLogs(id, filterId).send()).getLogs().size() == 1, "no logs of the filter");
    require(besu.privUninstallFilter(id, filterId).send().isUninstalled(), "the filter remains");
    final String marker = sent.getcommitmentHash();
    require(
        checked(besu.privGetPrivateTransaction(marker).send()).getPrivateTransaction().isPresent(),
        "no private transaction");
  }

  private PrivateTransactionReceipt send(final PrivateTransactionManager manager, final String to, final String data)
      throws Exception {
    return mined(
        checked(manager.sendTransaction(BigInteger.ZERO, GAS, to, data, BigInteger.ZERO)).getTransactionHash());
  }

  private PrivateTransactionReceipt mined(final String marker) throws Exception {
    final PrivateTransactionReceipt receipt = (PrivateTransactionReceipt) receipts.waitForTransactionReceipt(marker);
    require(receipt.getStatus().equals("0x1"), "status " + receipt.getStatus());
    return receipt;
  }

  private static <T extends Response<?>> T checked(final T response) {
    require(!response.hasError(), response.hasError() ? response.getError().getMessage() : "");
    return response;
  }

  private static void require(final boolean isSo, final String failure) {
    if (!isSo) throw new IllegalStateException(failure);
  }
}
