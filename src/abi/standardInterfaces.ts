/**
 * Interfaces that many contracts have, and errors of common libraries: what can be said of a contract without its ABI.
 * @module
 */
import { AbiIndex, type ContractItems } from './abiIndex.ts'
import { abiItems } from './abiItem.ts'
import { type JsonItem, parseItem } from './humanReadable.ts'

interface InterfaceText {
  readonly name: string
  /** A contract with all these functions has the interface. */
  readonly required: readonly string[]
  /** Functions that it may have as well. */
  readonly optional?: readonly string[]
  readonly events?: readonly string[]
}

const USER_OPERATION_06 =
  '(address sender, uint256 nonce, bytes initCode, bytes callData, uint256 callGasLimit, uint256 verificationGasLimit, uint256 preVerificationGas, uint256 maxFeePerGas, uint256 maxPriorityFeePerGas, bytes paymasterAndData, bytes signature)'
const USER_OPERATION_07 =
  '(address sender, uint256 nonce, bytes initCode, bytes callData, bytes32 accountGasLimits, uint256 preVerificationGas, bytes32 gasFees, bytes paymasterAndData, bytes signature)'
const ENTRY_POINT: readonly string[] = [
  'getNonce(address sender, uint192 key) view returns (uint256 nonce)',
  'depositTo(address account) payable',
  'balanceOf(address account) view returns (uint256)',
  'addStake(uint32 unstakeDelaySec) payable',
  'unlockStake()',
  'withdrawStake(address withdrawAddress)',
  'withdrawTo(address withdrawAddress, uint256 withdrawAmount)',
]
const ENTRY_POINT_EVENTS: readonly string[] = [
  'UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
  'UserOperationRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)',
  'AccountDeployed(bytes32 indexed userOpHash, address indexed sender, address factory, address paymaster)',
  'BeforeExecution()',
  'Deposited(address indexed account, uint256 totalDeposit)',
  'Withdrawn(address indexed account, address withdrawAddress, uint256 amount)',
]
const PERMIT_DETAILS = '(address token, uint160 amount, uint48 expiration, uint48 nonce)'
const TOKEN_PERMISSIONS = '(address token, uint256 amount)'

const ERC20_REQUIRED: readonly string[] = [
  'totalSupply() view returns (uint256)',
  'balanceOf(address account) view returns (uint256)',
  'transfer(address to, uint256 value) returns (bool)',
  'allowance(address owner, address spender) view returns (uint256)',
  'approve(address spender, uint256 value) returns (bool)',
  'transferFrom(address from, address to, uint256 value) returns (bool)',
]
const METADATA: readonly string[] = ['name() view returns (string)', 'symbol() view returns (string)']
const ERC20_OPTIONAL: readonly string[] = [...METADATA, 'decimals() view returns (uint8)']
const ERC20_EVENTS: readonly string[] = [
  'Transfer(address indexed from, address indexed to, uint256 value)',
  'Approval(address indexed owner, address indexed spender, uint256 value)',
]

/** The most specific first: the first that a contract has gives it its name. */
const INTERFACES: readonly InterfaceText[] = [
  {
    name: 'EntryPoint',
    required: [`handleOps(${USER_OPERATION_07}[] ops, address beneficiary)`, ...ENTRY_POINT],
    optional: [`getUserOpHash(${USER_OPERATION_07} userOp) view returns (bytes32)`],
    events: ENTRY_POINT_EVENTS,
  },
  {
    name: 'EntryPoint',
    required: [`handleOps(${USER_OPERATION_06}[] ops, address beneficiary)`, ...ENTRY_POINT],
    optional: [`getUserOpHash(${USER_OPERATION_06} userOp) view returns (bytes32)`],
  },
  {
    name: 'Permit2',
    required: [
      'allowance(address user, address token, address spender) view returns (uint160 amount, uint48 expiration, uint48 nonce)',
      'approve(address token, address spender, uint160 amount, uint48 expiration)',
      `permit(address owner, (${PERMIT_DETAILS} details, address spender, uint256 sigDeadline) permitSingle, bytes signature)`,
      `permitTransferFrom((${TOKEN_PERMISSIONS} permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes signature)`,
      'transferFrom(address from, address to, uint160 amount, address token)',
    ],
    optional: [
      'transferFrom((address from, address to, uint160 amount, address token)[] transferDetails)',
      'lockdown((address token, address spender)[] approvals)',
      'invalidateNonces(address token, address spender, uint48 newNonce)',
      'invalidateUnorderedNonces(uint256 wordPos, uint256 mask)',
      'nonceBitmap(address owner, uint256 wordPos) view returns (uint256)',
      'DOMAIN_SEPARATOR() view returns (bytes32)',
    ],
    events: [
      'Approval(address indexed owner, address indexed token, address indexed spender, uint160 amount, uint48 expiration)',
      'Permit(address indexed owner, address indexed token, address indexed spender, uint160 amount, uint48 expiration, uint48 nonce)',
      'Lockdown(address indexed owner, address token, address spender)',
    ],
  },
  {
    name: 'Multicall3',
    required: [
      'aggregate((address target, bytes callData)[] calls) payable returns (uint256 blockNumber, bytes[] returnData)',
      'aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[] returnData)',
      'aggregate3Value((address target, bool allowFailure, uint256 value, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[] returnData)',
      'tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[] returnData)',
    ],
    optional: [
      'blockAndAggregate((address target, bytes callData)[] calls) payable returns (uint256 blockNumber, bytes32 blockHash, (bool success, bytes returnData)[] returnData)',
      'tryBlockAndAggregate(bool requireSuccess, (address target, bytes callData)[] calls) payable returns (uint256 blockNumber, bytes32 blockHash, (bool success, bytes returnData)[] returnData)',
      'getBasefee() view returns (uint256 basefee)',
      'getBlockHash(uint256 blockNumber) view returns (bytes32 blockHash)',
      'getBlockNumber() view returns (uint256 blockNumber)',
      'getChainId() view returns (uint256 chainid)',
      'getCurrentBlockCoinbase() view returns (address coinbase)',
      'getCurrentBlockDifficulty() view returns (uint256 difficulty)',
      'getCurrentBlockGasLimit() view returns (uint256 gaslimit)',
      'getCurrentBlockTimestamp() view returns (uint256 timestamp)',
      'getEthBalance(address addr) view returns (uint256 balance)',
      'getLastBlockHash() view returns (bytes32 blockHash)',
    ],
  },
  {
    name: 'WETH',
    required: ['deposit() payable', 'withdraw(uint256 amount)', ...ERC20_REQUIRED],
    optional: ERC20_OPTIONAL,
    events: [
      'Deposit(address indexed account, uint256 amount)',
      'Withdrawal(address indexed account, uint256 amount)',
      ...ERC20_EVENTS,
    ],
  },
  {
    name: 'ERC4626',
    required: [
      'asset() view returns (address)',
      'totalAssets() view returns (uint256)',
      'convertToShares(uint256 assets) view returns (uint256)',
      'convertToAssets(uint256 shares) view returns (uint256)',
      'deposit(uint256 assets, address receiver) returns (uint256 shares)',
      'mint(uint256 shares, address receiver) returns (uint256 assets)',
      'withdraw(uint256 assets, address receiver, address owner) returns (uint256 shares)',
      'redeem(uint256 shares, address receiver, address owner) returns (uint256 assets)',
    ],
    optional: [
      'maxDeposit(address receiver) view returns (uint256)',
      'maxMint(address receiver) view returns (uint256)',
      'maxWithdraw(address owner) view returns (uint256)',
      'maxRedeem(address owner) view returns (uint256)',
      'previewDeposit(uint256 assets) view returns (uint256)',
      'previewMint(uint256 shares) view returns (uint256)',
      'previewWithdraw(uint256 assets) view returns (uint256)',
      'previewRedeem(uint256 shares) view returns (uint256)',
    ],
    events: [
      'Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
      'Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)',
    ],
  },
  {
    name: 'ERC1155',
    required: [
      'balanceOf(address account, uint256 id) view returns (uint256)',
      'balanceOfBatch(address[] accounts, uint256[] ids) view returns (uint256[])',
      'setApprovalForAll(address operator, bool approved)',
      'isApprovedForAll(address account, address operator) view returns (bool)',
      'safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)',
      'safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)',
    ],
    optional: ['uri(uint256 id) view returns (string)', ...METADATA],
    events: [
      'TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
      'TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
      'ApprovalForAll(address indexed account, address indexed operator, bool approved)',
      'URI(string value, uint256 indexed id)',
    ],
  },
  {
    name: 'ERC721',
    required: [
      'balanceOf(address owner) view returns (uint256)',
      'ownerOf(uint256 tokenId) view returns (address)',
      'safeTransferFrom(address from, address to, uint256 tokenId)',
      'safeTransferFrom(address from, address to, uint256 tokenId, bytes data)',
      'transferFrom(address from, address to, uint256 tokenId)',
      'approve(address to, uint256 tokenId)',
      'setApprovalForAll(address operator, bool approved)',
      'getApproved(uint256 tokenId) view returns (address)',
      'isApprovedForAll(address owner, address operator) view returns (bool)',
    ],
    optional: [
      ...METADATA,
      'tokenURI(uint256 tokenId) view returns (string)',
      'totalSupply() view returns (uint256)',
      'tokenByIndex(uint256 index) view returns (uint256)',
      'tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)',
    ],
    events: [
      'Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
      'Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)',
      'ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
    ],
  },
  { name: 'ERC20', required: ERC20_REQUIRED, optional: ERC20_OPTIONAL, events: ERC20_EVENTS },
  {
    name: 'Proxy',
    required: ['upgradeToAndCall(address newImplementation, bytes data) payable'],
    optional: [
      'upgradeTo(address newImplementation)',
      'implementation() view returns (address)',
      'proxiableUUID() view returns (bytes32)',
      'admin() view returns (address)',
      'changeAdmin(address newAdmin)',
    ],
    events: [
      'Upgraded(address indexed implementation)',
      'AdminChanged(address previousAdmin, address newAdmin)',
      'BeaconUpgraded(address indexed beacon)',
      'Initialized(uint64 version)',
    ],
  },
  {
    name: 'AccessControl',
    required: [
      'hasRole(bytes32 role, address account) view returns (bool)',
      'getRoleAdmin(bytes32 role) view returns (bytes32)',
      'grantRole(bytes32 role, address account)',
      'revokeRole(bytes32 role, address account)',
      'renounceRole(bytes32 role, address account)',
    ],
    optional: ['DEFAULT_ADMIN_ROLE() view returns (bytes32)'],
    events: [
      'RoleAdminChanged(bytes32 indexed role, bytes32 indexed previousAdminRole, bytes32 indexed newAdminRole)',
      'RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)',
      'RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)',
    ],
  },
  {
    name: 'Ownable',
    required: ['owner() view returns (address)', 'transferOwnership(address newOwner)'],
    optional: ['renounceOwnership()', 'pendingOwner() view returns (address)', 'acceptOwnership()'],
    events: [
      'OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
      'OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)',
    ],
  },
  {
    name: 'ERC2612',
    required: [
      'permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
      'nonces(address owner) view returns (uint256)',
      'DOMAIN_SEPARATOR() view returns (bytes32)',
    ],
  },
  { name: 'ERC165', required: ['supportsInterface(bytes4 interfaceId) view returns (bool)'] },
]

/** Errors of Solidity, of ERC-6093 and of libraries that most projects use. */
const ERRORS: readonly string[] = [
  'Error(string message)',
  'Panic(uint256 code)',
  'ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'ERC20InvalidSender(address sender)',
  'ERC20InvalidReceiver(address receiver)',
  'ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'ERC20InvalidApprover(address approver)',
  'ERC20InvalidSpender(address spender)',
  'ERC721InvalidOwner(address owner)',
  'ERC721NonexistentToken(uint256 tokenId)',
  'ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)',
  'ERC721InvalidReceiver(address receiver)',
  'ERC721InsufficientApproval(address operator, uint256 tokenId)',
  'ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId)',
  'ERC1155InvalidReceiver(address receiver)',
  'ERC1155MissingApprovalForAll(address operator, address owner)',
  'OwnableUnauthorizedAccount(address account)',
  'OwnableInvalidOwner(address owner)',
  'AccessControlUnauthorizedAccount(address account, bytes32 neededRole)',
  'SafeERC20FailedOperation(address token)',
  'ReentrancyGuardReentrantCall()',
  'EnforcedPause()',
  'ExpectedPause()',
  'InvalidInitialization()',
  'NotInitializing()',
  'FailedCall()',
  'AddressEmptyCode(address target)',
  'FailedOp(uint256 opIndex, string reason)',
  'FailedOpWithRevert(uint256 opIndex, string reason, bytes inner)',
]

/** An interface with its items. */
export interface StandardInterface extends ContractItems {
  readonly name: string
  /** Selectors of the functions that a contract must have, in hex without prefix. */
  readonly required: readonly string[]
  /** The items in JSON. */
  readonly abi: readonly JsonItem[]
}

let interfaces: readonly StandardInterface[] | undefined
let index: AbiIndex | undefined

/** The most specific first. */
export function standardInterfaces(): readonly StandardInterface[] {
  interfaces ??= INTERFACES.map(readInterface)
  return interfaces
}

/** Functions, errors and events of all standard interfaces. */
export function standardIndex(): AbiIndex {
  const errors = ERRORS.map((text) => parseItem(`error ${text}`))
  index ??= new AbiIndex([], [...standardInterfaces(), abiItems(errors)])
  return index
}

function readInterface({ name, required, optional = [], events = [] }: InterfaceText): StandardInterface {
  const functions = [...required, ...optional].map((text) => parseItem(`function ${text}`))
  const abi = [...functions, ...events.map((text) => parseItem(`event ${text}`))]
  const items = abiItems(abi)
  return { ...items, name, required: items.functions.slice(0, required.length).map(({ selector }) => selector), abi }
}
