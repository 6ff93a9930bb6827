/** The recorded chains that the node runs so far (proof of work, proof of stake and Clique), with the options they ask for. */

const besu = (name, extra = {}) => ({ name: `besu/${name}`, blocks: 'blocks.bin', ...extra })

/** One member's view of a chain with private transactions: its enclave, its key and its cases. */
const member = (name, view, head, options = []) => ({
  name: `besu/${name}-${view}`,
  folder: `besu/${name}`,
  blocks: 'blocks.bin',
  head,
  apis: ['EEA', 'PRIV'],
  caseFolders: [`cases-${view}`],
  // These change the pool and the enclave, so they run after all others.
  flowFolders: [`cases-${view}-flows`],
  enclave: { state: `enclave-${view}.json`, port: 24_801 + view.charCodeAt(0) - 'a'.charCodeAt(0) },
  options: ['--network-id=2027', '--min-gas-price=0', '--revert-reason-enabled', '--privacy-enabled', ...options],
  keyFiles: {
    'privacy-public-key-file': `keys/${view}.pub`,
    ...(view === 'a' ? { 'privacy-marker-transaction-signing-key-file': 'keys/marker-a.key' } : {}),
  },
})

const PRIVATE_HEAD = '0x121cd04496acb2c0eb4be6cd95bafbe15b7eee338763a9623a1fc91d82031d6a'
const FLEXIBLE_HEAD = '0x234cc5c9fc66934c55454e7aa8c21efbee00bf6715b6cd15fcb19103dbe82209'
const FLEXIBLE = ['--privacy-flexible-groups-enabled']

export const CHAINS = [
  besu('frontier', {
    head: '0x71d59849ddd98543bdfbe8548f5eed559b07b8aaf196369f39134500eab68e53',
    apis: ['PERM', 'EEA', 'PRIV'],
    options: ['--network-id=123', '--min-gas-price=0'],
    isDiscovered: true,
  }),
  besu('shanghai', {
    head: '0x30e688f50392780a71899dcb4c35997f5c1d168cf90306d8e6919ea805097810',
    options: ['--min-gas-price=0'],
  }),
  besu('cancun', { head: '0x4859ea10d276f6df988eabd48a02e0696cfd3deb769d2a5e0e416a5f3191028a' }),
  besu('trace', {
    head: '0x156fa7f1633c5dd82d41b7c7d79049f620b25638ca87da137d13e1a27a210e49',
    options: ['--revert-reason-enabled'],
  }),
  besu('london', { head: '0x03290a909cff32be9ce85f27c50570e9a94212dfb212c15f7a15cbdda70a7abc' }),
  besu('access-list', { head: '0x1ec8dde1f5bd29b8fb4c206d6c23924f0b6681951ca90653689995c0c59ffa6f' }),
  besu('mainnet-1000', {
    head: '0xc31b362e591aa07faa977dbc492ae43cd47eef291920435153bbbf3acaf2fc2f',
    importOptions: ['--skip-pow-validation-enabled'],
  }),
  besu('fork-outdated', { head: '0xfee4cb230625ef62fa98d9b51f5ae8a6c37077c1cd932e7a2b6012325d7b8688' }),
  besu('fork-upgraded', { head: '0xba10c781a48988938935606a37f2aec2a7bb8aff3648ef0c8f0f3629611c07db' }),
  besu('snap', {
    head: '0x36a166f0dcd160fc5e5c61c9a7c2d7f236d9175bf27f43aaa2150e291f092ef7',
    importOptions: ['--skip-pow-validation-enabled'],
  }),
  besu('simulate', {
    head: '0xaf51811799f22260e5b4e1f95504dae760505f102dcb2e9ca7d897d8a40124a1',
    importOptions: ['--skip-pow-validation-enabled'],
  }),
  besu('osaka', { head: '0x767faa256232c7b42ca3c9ccb7d0edb763c6c648198e7628b713a778fe213732' }),
  besu('pos-set-head', { head: '0x80732341439dd124df94271386141735f13ef8a85e12e9fba15c06bc1ad9fd73' }),
  besu('pos-replay-block', { head: '0x80732341439dd124df94271386141735f13ef8a85e12e9fba15c06bc1ad9fd73' }),
  besu('pos-get-block-by', { head: '0x77edeba4adb3cb3e365fccb48393c8445a5c4c6648ec660806c2ce1e9de13fd3' }),
  besu('clique', { apis: ['CLIQUE'], head: '0xae48cf1ec1ba9ca96eb32fdac8b00ee22880e508fdb2aac93774b43a701aec1c' }),
  besu('clique-votes', {
    apis: ['CLIQUE'],
    head: '0x3c768b660ffe29e4b535cc2bd099096a7d0d0fdd0b1f3b9a6c60c8f60bd11188',
  }),
  besu('clique-live', { apis: ['CLIQUE'], head: '0xcb36fddba585be07efec9bfdc78fd87bd2b60d2b14c92a2d463cd77d886927c8' }),
  besu('pow-live', {
    head: '0x5797e4de090686c291d974defed6830e438def6ac909ee5787341c8a25fbed90',
  }),
  besu('ibft2', { apis: ['IBFT', 'QBFT'], head: '0x57979888ebb04d1515b0841dddf8f27bf969a3a93bef855be827dd49765e0f67' }),
  besu('ibft2-rounds', {
    apis: ['IBFT', 'QBFT'],
    head: '0xec7b04f62e243b89eca0cbfb527e86cc64b6ea7cbb00aff3432944712e532b90',
  }),
  besu('ibft2-transitions', {
    apis: ['IBFT', 'QBFT'],
    head: '0x3f41bac64c67a87797dce2a24eb0e3e1db1e50ce5cdf1e96538a7aeba683bf83',
  }),
  besu('ibft2-to-qbft', {
    apis: ['IBFT', 'QBFT'],
    head: '0x7d919192c4bfacb16213a47672ea065418b5881e6458e8c3ae19394dff0a64dc',
  }),
  besu('qbft', { apis: ['IBFT', 'QBFT'], head: '0x66920fb9b4397d6eca888d4795a3a817c04ca35557236d4c53d50203688c29d7' }),
  besu('qbft-rounds', {
    apis: ['IBFT', 'QBFT'],
    head: '0x630295b4b42d59193ff63ed8bf0f1634b15882ed33a48b47e52a0caff04f0ae3',
  }),
  besu('qbft-contract', {
    apis: ['IBFT', 'QBFT'],
    options: ['--min-gas-price=0'],
    head: '0xd37f5c6e11a2febb25cc1940f003e498664fa7df2faa451743e8544c48b71337',
  }),
  besu('qbft-transitions', {
    apis: ['IBFT', 'QBFT'],
    head: '0x2e8b7938b32dfdb9500e8343c116f32f7e87f58ff84b972112bdc419f77a41c2',
  }),
  besu('ibft-legacy', { head: '0xe3977f34ed64b875950883df5dd52cd576d7b927834608e3c08623008d6aa1bb' }),
  besu('ibft-legacy-qbft', { head: '0x66c50338a9ec939a3219a80b3b5e7d51c154507d5748f08dbda9422520bb3251' }),
  member('privacy', 'a', PRIVATE_HEAD),
  member('privacy', 'b', PRIVATE_HEAD),
  member('privacy-flexible', 'a', FLEXIBLE_HEAD, FLEXIBLE),
  member('privacy-flexible', 'b', FLEXIBLE_HEAD, FLEXIBLE),
  member('privacy-flexible', 'c', FLEXIBLE_HEAD, FLEXIBLE),
  besu('dev', { blocks: undefined }),
  besu('perm', {
    blocks: undefined,
    apis: ['PERM'],
    // Their default file, which the cases rewrite, is in the data directory.
    files: ['permissions_config.toml'],
    options: ['--permissions-accounts-config-file-enabled', '--permissions-nodes-config-file-enabled'],
  }),
  besu('perm-live', { head: '0x3441ddd53c5eb0857d078959984535fc49ed9e9435e5e4bb07809ca25c164608' }),
  {
    name: 'execution-apis',
    blocks: 'chain.rlp',
    options: ['--rpc-profile=geth'],
    head: '0xd226371d0b1551adb03fb52b71f08e3e11247fe9b1af994768af8cdaa8e7dcd7',
    importOptions: ['--skip-pow-validation-enabled'],
  },
  {
    name: 'execution-apis-cancun',
    blocks: 'chain.rlp',
    options: ['--rpc-profile=geth'],
    head: '0x8f64c4436f7213cfdf02cfb9f45d012f1774dfb329b8803de5e7479b11586902',
  },
]

const DEBUG = [
  'debug_getRawBlock',
  'debug_getRawHeader',
  'debug_getRawTransaction',
  'debug_getRawReceipts',
  'debug_getBadBlocks',
  'debug_setHead',
  'debug_replayBlock',
  'debug_resyncWorldstate',
  'debug_accountAt',
  'debug_accountRange',
  'debug_storageRangeAt',
  'debug_batchSendRawTransaction',
  'debug_metrics',
]

/** Groups that are not named after a method. */
const OTHERS = [
  'admin',
  'plugins',
  'http',
  'graphql',
  'idle',
  'filters',
  'transaction_pool',
  'miner',
  'txpool',
  'privacy_disabled',
  'enclave',
  'flows',
  'unregistered',
]

/** Whether a group of cases belongs to the methods that the node has so far. */
export function inScope(group) {
  const name = group.split('/').pop()
  return (
    /^(eth_|net_|web3_|miner_|perm_|trace_|debug_trace|txpool_|clique_|ibft_|qbft_|eea_|priv_|privx_)/.test(name) ||
    DEBUG.includes(name) ||
    OTHERS.includes(name)
  )
}
