/**
 * Options of commands.
 * @module
 */

/** Options of one subcommand only. */
// biome-ignore format: one option per line reads as a table
export const COMMAND_OPTIONS = {
  'blocks import': {
    'from': { type: 'list', form: 'file', default: [], help: 'Block files (more may follow as arguments).' },
    'format': { type: 'choice', default: 'RLP', choices: ['RLP', 'JSON'], help: 'Format of the files.' },
    'skip-pow-validation-enabled': { type: 'boolean', default: false, help: 'Do not verify proof-of-work seals.' },
    'run': { type: 'boolean', default: false, help: 'Start the node after the import.' },
    'start-block': { type: 'quantity', help: 'First block to import.' },
    'end-block': { type: 'quantity', help: 'First block that is not imported.' },
    'start-time': { type: 'integer', help: 'Timestamp of the first block of a JSON file.', later: 'refused' },
  },
  'blocks export': {
    'to': { type: 'text', form: 'file', required: true, help: 'File to write.' },
    'start-block': { type: 'integer', help: 'First block (default: 0).' },
    'end-block': { type: 'integer', help: 'First block that is not exported (default: the block after the head).' },
  },
  'db backup': {
    'to': { type: 'text', form: 'file', required: true, help: 'Folder to write; new or empty.' },
    'with-keys': { type: 'boolean', default: false, help: "Whether the private keys of the node and of its enclave are copied as well." },
  },
  'db restore': {
    'from': { type: 'text', form: 'file', required: true, help: 'Folder of the backup.' },
  },
  'db stats': {},
  'db verify': {},
  'db compact': {},
  'db prune': {},
  'mirror push': {
    'to': { type: 'text', form: 'url', required: true, help: 'Store of the mirror, as for --mirror-to.' },
    'from': { type: 'integer', min: 0, help: 'First block whose body and receipts the mirror keeps, in place of --mirror-history.' },
    'rewind': { type: 'boolean', default: false, help: 'Also if the mirror is ahead of the database, which was restored from a backup: readers go back to its head.' },
  },
  'mirror info': {},
  'mirror verify': {
    'publisher': { type: 'text', form: 'address', help: 'Address that must have signed the manifests (default: the one that the mirror names).' },
    'deep': { type: 'boolean', default: false, help: 'Also check headers, the roots of bodies and receipts, code, the state of the head against the chain of headers, and the seals of its consensus.' },
  },
  'mirror compact': {},
  'mirror prune': {
    'keep': { type: 'integer', default: 1, min: 1, max: 1000000, help: 'Number of newest manifests to keep. Younger ones than --mirror-grace are kept as well.' },
  },
  'public-key export': {
    'to': { type: 'text', form: 'file', help: 'File to write (default: print).' },
    'ec-curve': { type: 'choice', default: 'secp256k1', choices: ['secp256k1'], help: 'Curve of the key.' },
  },
  'public-key export-address': {
    'to': { type: 'text', form: 'file', help: 'File to write (default: print).' },
    'ec-curve': { type: 'choice', default: 'secp256k1', choices: ['secp256k1'], help: 'Curve of the key.' },
  },
  'password hash': {
    'password': { type: 'text', required: true, help: 'The password.' },
  },
  'operator generate-blockchain-config': {
    'config-file': { type: 'text', form: 'file', required: true, help: 'JSON file with the genesis block and the nodes.' },
    'to': { type: 'text', form: 'file', required: true, help: 'Folder to write; new or empty.' },
    'genesis-file-name': { type: 'text', default: 'genesis.json', help: 'Name of the genesis file.' },
    'private-key-file-name': { type: 'text', default: 'key.priv', help: 'Name of the files with private keys.' },
    'public-key-file-name': { type: 'text', default: 'key.pub', help: 'Name of the files with public keys.' },
  },
  'rlp encode': {
    'from': { type: 'text', form: 'file', help: 'JSON file with an array of addresses (default: standard input).' },
    'to': { type: 'text', form: 'file', help: 'File to write (default: print).' },
    'type': { type: 'choice', default: 'IBFT_EXTRA_DATA', choices: ['IBFT_EXTRA_DATA', 'QBFT_EXTRA_DATA'], help: 'Kind of the encoding.' },
  },
  'enclave': {
    'rest-host': { type: 'text', default: '127.0.0.1', help: 'Address on which the enclave listens for nodes.' },
    'rest-port': { type: 'integer', default: 8888, min: 0, max: 65535, help: 'Port for nodes; 0: any free port, which is printed.' },
  },
  'enclave keys': {
    'to': { type: 'text', form: 'file', required: true, help: 'Secret key file to write; the public key goes to the same name with .pub.' },
  },
  'proxy': {
    'url': { type: 'list', required: true, help: 'Address of a node that need not be trusted: http, https, ws or wss. Further ones are second choices.' },
    'trust': { type: 'text', required: true, help: 'Where the newest block comes from. genesis or checkpoint:HASH: the chain is followed from there by the seals of IBFT 2.0, QBFT or Clique. hash:HASH: one block. agree:NUMBER: the newest block on which this number of addresses agree.' },
    'pass': { type: 'list', default: [], help: 'Methods that are passed on although nothing proves their answers, or all. Such answers have isProven: false.' },
    'host': { type: 'text', default: '127.0.0.1', help: 'Address on which the proxy listens.' },
    'port': { type: 'integer', default: 8545, min: 0, max: 65535, help: 'Port of the proxy; 0: any free port, which is printed.' },
  },
  'replay': {
    'rpc': { type: 'text', help: 'Address of the node that answers: http, https, ws or wss (default: a dev chain in memory, which continues the chain of --fork-url or --fork-pack).' },
  },
  'validate-config': {},
} as const
