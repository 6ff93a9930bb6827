/**
 * Cause and remedy of the errors that users of the library and the program meet, for docs/errors.md. Links are relative
 * to that page.
 * @module
 */
import type { ExplainedCode } from './errorCodes.ts'

export interface ErrorEntry {
  readonly cause: string
  readonly remedy: string
}

export const ERROR_GUIDE: Readonly<Record<ExplainedCode, ErrorEntry>> = {
  // Options and genesis
  INVALID_OPTION: {
    cause: 'An option is unknown, has a value of the wrong form, or does not fit another option.',
    remedy: 'The message names the option; see [options](options.md), or [the library](guides/library.md).',
  },
  INVALID_WALLET: {
    cause: 'The mnemonic or the derivation path of the dev chain is invalid.',
    remedy: 'Give a mnemonic of BIP-39 with 12, 15, 18, 21 or 24 words.',
  },
  INVALID_GENESIS: {
    cause: 'The genesis file cannot be read, or a field has the wrong form.',
    remedy: 'The message names the file or the field.',
  },
  GENESIS_MISMATCH: {
    cause:
      'The data directory holds another chain than the options describe: another block 0, chain id, or fork below the head.',
    remedy: 'Name another data directory, or give the options that created this one.',
  },
  INVALID_BLOCKCHAIN_CONFIG: {
    cause: 'The file from which a private network is created has a field of the wrong form.',
    remedy: 'The message names the field.',
  },
  INVALID_CLIQUE_CHECKPOINT: {
    cause: 'A block that lists the Clique signers has no valid list.',
    remedy: 'Correct `extraData` of the genesis file.',
  },
  INVALID_METHOD_LIST: {
    cause: 'A method named by `--rpc-http-api-methods-no-auth` does not exist.',
    remedy: 'Check the spelling.',
  },
  INVALID_TRUSTED_SETUP: {
    cause: 'The file of `--kzg-trusted-setup` cannot be read, or has the wrong form.',
    remedy: 'Check the path, or leave the option out.',
  },
  INVALID_NODE_KEY: {
    cause: 'The file of the node key cannot be read, or holds no private key.',
    remedy: 'Check its path and permissions; without a file, the node creates a key.',
  },
  INVALID_P2P_HOST: {
    cause: 'The host name or address for peers cannot be used.',
    remedy: 'Give an IP address that peers can reach to `--p2p-host`.',
  },
  INVALID_NODE_LIST: {
    cause: 'A list of nodes from DNS (EIP-1459) is invalid.',
    remedy: 'Check the `enrtree://` URL.',
  },
  INVALID_STATIC_NODES: {
    cause: 'The file of static nodes cannot be read, or an entry is no enode URL.',
    remedy: 'The message names the entry.',
  },
  UNKNOWN_HOST: { cause: 'The host name of a node has no address.', remedy: 'Check the name, and the DNS server.' },
  FIXED_NODES_NOT_ALLOWED: {
    cause: 'The allowlist of nodes lacks a bootnode or a static node.',
    remedy: 'Add the node to the allowlist, or remove it from the bootnodes and static nodes.',
  },
  PERMISSIONS_FILE_INVALID: {
    cause: 'A file of allowlists cannot be read, or has the wrong form.',
    remedy: 'The message names the entry; see [permissioning](guides/permissioning.md).',
  },
  PERMISSIONS_UNAVAILABLE: {
    cause: 'This runtime has no files, so it cannot read allowlists.',
    remedy: 'Leave the permissioning options out, or start the node on a server.',
  },
  INVALID_ENCLAVE_KEY: { cause: 'The public key of an enclave is not valid.', remedy: 'Give 32 bytes in base64.' },
  INVALID_ENCLAVE_KEY_FILE: {
    cause: 'A key file of the enclave cannot be read, or has the wrong form.',
    remedy: 'The message names the cause; see [privacy](guides/privacy.md).',
  },
  INVALID_PLUGIN: {
    cause: 'A plugin cannot be loaded, or does not have the form of a plugin.',
    remedy: 'The message names the module and the cause; see [plugins](guides/plugins.md).',
  },
  MISSING_PACKAGE: {
    cause: 'An option needs a package that is not installed.',
    remedy: 'Run the `npm install` of the message.',
  },
  UNSUPPORTED_RUNTIME: {
    cause: '`startNode` was called in a page or a Worker, or an option needs what this runtime lacks.',
    remedy: 'Call `createBrowserNode` of `isonode/browser`, and leave the option out that the message names.',
  },
  WASM_UNAVAILABLE: {
    cause: 'The page may not compile WebAssembly, or the browser is too old for the EVM.',
    remedy:
      "Allow `'wasm-unsafe-eval'` in the content security policy, or pass `loadReferenceEvm`; see [browsers](guides/browser.md#content-security-policy).",
  },
  ABI_FOLDER_UNREADABLE: { cause: 'A directory of `--abi` cannot be read.', remedy: 'Check its path and permissions.' },
  CONFIG_FILE_UNWRITABLE: {
    cause: 'The file of `--config-out` cannot be written.',
    remedy: 'Check its directory and permissions.',
  },
  PID_FILE_UNWRITABLE: {
    cause: 'The file of `--pid-path` cannot be written.',
    remedy: 'Check its directory and permissions.',
  },
  // Network
  PORT_IN_USE: {
    cause: 'Another process listens on the port.',
    remedy: 'Stop it, or choose another port; 0 chooses a free one.',
  },
  LISTEN_FAILED: {
    cause: 'The address cannot be used to listen.',
    remedy: 'Check host and port: the address must belong to this machine, and ports below 1024 may need permission.',
  },
  CONNECTION_FAILED: {
    cause: 'A connection with a peer could not be opened.',
    remedy: 'Check that the peer runs and that its port can be reached.',
  },
  DNS_FAILED: {
    cause: 'The DNS server did not answer, or has no record for the name.',
    remedy: 'Check the name, and the network.',
  },
  WORKER_UNAVAILABLE: {
    cause:
      'With `--rpc-http-workers`, the process that writes the chain does not answer, or a process for its clients cannot start.',
    remedy: 'Ask again; if it lasts, read the log of the node, which names the reason.',
  },
  // Forks of other chains
  FORK_UNAVAILABLE: {
    cause:
      'No address of the forked chain gave a usable answer: not reached, too late, or not in the form of JSON-RPC.',
    remedy:
      'The message has the reason for each address. Check the address and its key, give a second one, or a longer `--fork-timeout`.',
  },
  FORK_RATE_LIMITED: {
    cause: 'The addresses of the forked chain refused every request for minutes because of their limit of rate.',
    remedy: 'Wait, give a key with a higher limit, or a second address. Data that were fetched are kept.',
  },
  FORK_STATE_PRUNED: {
    cause: 'The address of the forked chain does not keep the state of that block any longer.',
    remedy: 'Fork a newer block, or give the address of an archive node.',
  },
  FORK_BLOCK_CHANGED: {
    cause:
      'The forked chain has another block at that number than before: it was reorganised, or the addresses disagree.',
    remedy: 'Start again, from a finalised block if possible.',
  },
  FORK_UNPROVEN: {
    cause: 'A value of the forked chain has no proof, or its proof does not lead to the block.',
    remedy: 'Give an address that has `eth_getProof`, or allow plain values with `--fork-verify`.',
  },
  FORK_OFFLINE: {
    cause: 'The fork runs offline, and what the message names is neither in the pack nor in the cache.',
    remedy: 'Run once without `--fork-offline`, so that it is kept.',
  },
  FORK_UNSUPPORTED: {
    cause:
      'The forked chain has a form of block or transaction, or a method needs all of its state, that a fork does not support. Or the chain is stored, and cannot change to another one.',
    remedy: 'The message names it. Ask the address itself.',
  },
  REMOTE_REFUSED: {
    cause: 'Another node answered a request with an error.',
    remedy: 'The message is that of the other node.',
  },
  // Mirrors
  MIRROR_UNAVAILABLE: {
    cause: 'The store of a mirror does not answer, or lacks an object that the mirror names.',
    remedy:
      'The message names the object. The node asks again by itself; check the store, and `isonode mirror verify`.',
  },
  MIRROR_DAMAGED: {
    cause: 'An object of a mirror has other bytes than its publisher wrote.',
    remedy:
      'The message names the object. Nothing of it is used. Find the damage with `isonode mirror verify`, and push again.',
  },
  MIRROR_BEHIND: {
    cause:
      'A database is older than the mirror that it would be published to, or a mirror is older than `--mirror-max-lag`.',
    remedy: 'The message has both heads, or the age. See that the publisher runs and reaches the store.',
  },
  MIRROR_FENCED: {
    cause: 'Another publisher has taken over the mirror.',
    remedy: 'Let one node publish. A publisher that starts takes over, and the earlier one stops.',
  },
  MIRROR_OF_OTHER_CHAIN: {
    cause: 'The mirror at this address holds another chain.',
    remedy: 'Check the address; the message names both chains.',
  },
  MIRROR_FORMAT: {
    cause: 'The mirror was written by a newer version, or the address is not that of a mirror.',
    remedy: 'Update isonode, or check the address.',
  },
  MIRROR_UNSIGNED: {
    cause: 'A manifest of the mirror is not signed by the configured publisher.',
    remedy: 'Compare the address with the one that the publisher prints at its start.',
  },
  SEALS_UNPROVEN: {
    cause:
      'A mirror does not prove the seals of this chain: proof of stake has none, and validators in a contract, the IBFT of before ' +
      'IBFT 2.0 and changes of the consensus need more than headers.',
    remedy: 'Read the mirror with `--mirror-verify=signatures`, which trusts its publisher.',
  },
  READS_EXCEEDED: {
    cause: 'A request needs more reads of a mirror than the platform allows for one request.',
    remedy: 'Ask for less at once, raise the limit where the platform allows more, or use a node.',
  },
  // Data
  DIRECTORY_LOCKED: {
    cause: 'Another process uses the data directory.',
    remedy: 'Stop that process, or name another directory.',
  },
  DIRECTORY_UNUSABLE: {
    cause: 'The data directory cannot be created, read or written.',
    remedy: 'Check its path and permissions.',
  },
  DATABASE_LOCKED: {
    cause: 'Another tab or Worker has opened the database.',
    remedy: "Close it, or give another `dataPath` or `storage: 'memory'`.",
  },
  LOCKS_UNAVAILABLE: {
    cause: 'The page may not use locks, so that two tabs could damage one database.',
    remedy: "Serve the page over https or from localhost, or give `storage: 'memory'`.",
  },
  SHARED_VERSION: {
    cause: 'The node that the tabs share runs in another version of the library.',
    remedy: 'Reload the tab with the older version, which the message names.',
  },
  SHARED_WORKER_FAILED: {
    cause: 'The script of the worker that runs the shared node cannot be loaded.',
    remedy:
      'Serve it from the origin of the page, and name it with the option `worker`; see [browsers](guides/browser.md).',
  },
  DISK_FULL: {
    cause: 'The disk, or the storage of the browser, has no space left.',
    remedy: 'Free some space. A node in a page then goes on; start any other one again.',
  },
  STORE_FAILED: {
    cause: 'The database cannot be read or written.',
    remedy: 'The message holds the error of the database or the disk.',
  },
  STORE_CLOSED: {
    cause: 'The node was closed while it used its database.',
    remedy: 'Keep the node open until the work is done.',
  },
  STORE_DAMAGED: {
    cause: 'The database lacks data, holds data that cannot be decoded, or a value that does not fit its checksum.',
    remedy: 'Restore a backup, or remove the directory and synchronise again.',
  },
  STATE_DAMAGED: {
    cause: 'The stored state of a block does not have the state root of its header.',
    remedy: 'Restore a backup, or remove the directory and synchronise again.',
  },
  FORMAT_TOO_NEW: {
    cause: 'A newer version of isonode wrote the database.',
    remedy: 'Use that version, or a newer one.',
  },
  STORE_NOT_MIGRATED: {
    cause: 'The database has an older format, and this command only reads.',
    remedy: 'Start the node on the directory once: it migrates the database.',
  },
  MIGRATION_MISSING: {
    cause: 'The database has a format that this version cannot migrate.',
    remedy: 'Migrate it with an older version first.',
  },
  STATE_FILE_FAILED: {
    cause: 'A file of a state dump cannot be read or written.',
    remedy: 'Check its path and permissions; the message names the cause.',
  },
  INVALID_DUMP: {
    cause: 'The file or value is no state dump, or belongs to another chain.',
    remedy: 'Give a dump of `anvil_dumpState`, `isonode_export` or `--dump-state`.',
  },
  UNKNOWN_TRANSFER: {
    cause: 'The export or import of a chain has ended, another one has taken its place, or a piece was left out.',
    remedy: 'Begin again. Pieces follow one another; only the last one can be repeated.',
  },
  READ_ONLY: {
    cause: 'The chain of this Worker is read-only.',
    remedy: 'Send changes to the node that writes the chain.',
  },
  STATE_NOT_AVAILABLE: {
    cause: 'The state of a block is not stored.',
    remedy: 'Ask for a newer block, or keep more states.',
  },
  BLOCK_DATA_MISSING: {
    cause: 'A part of a block is not stored: it was deleted, or has not arrived.',
    remedy: 'Ask for another block, or wait until the node has synchronised.',
  },
  HISTORY_PRUNED: {
    cause: 'The mirror has the headers of old blocks only, because its publisher runs with `--mirror-history`.',
    remedy: 'Ask for a newer block, or another node.',
  },
  DATASET_FILE_FAILED: {
    cause: 'The file of an Ethash dataset cannot be read or written.',
    remedy: 'Check the directory and its free space.',
  },
  DATASET_TOO_LARGE: {
    cause: 'The Ethash dataset does not fit into the memory of this runtime.',
    remedy: 'Give the process more memory.',
  },
  FORK_PACK_INVALID: {
    cause: 'The file of `--fork-pack` is damaged, cut off, of another chain or block, or not a pack.',
    remedy:
      'The message says which; restore the file, name another one, or delete it so that the next run writes it again.',
  },
  RECORDING_INVALID: {
    cause:
      'The file of `isonode replay` is no recording, is damaged, or has a version that this program does not read.',
    remedy: 'The message names the part; record again with the [panel](guides/panel.md) of the same version.',
  },
  FORK_PACK_UNWRITABLE: {
    cause: 'The file of `--fork-pack` cannot be written.',
    remedy: 'Check its folder and the free space. A run with `--fork-offline` only reads the file.',
  },
  STOPPED: {
    cause: 'The node was stopped during the work.',
    remedy: 'Start the node again: it continues the work, or begins it again.',
  },
  // Blocks
  INVALID_BLOCK: {
    cause: 'An imported block breaks a rule of the chain.',
    remedy: 'The message names the block and the rule; check that the blocks belong to this chain.',
  },
  INVALID_BLOCK_ENCODING: {
    cause: 'The bytes are not the RLP of a block.',
    remedy: 'Give blocks as RLP, as `isonode blocks export` writes them.',
  },
  INVALID_BLOCK_STREAM: {
    cause: 'A file or stream of blocks has bytes that are not the RLP of a block.',
    remedy: 'Check that the file is complete; the message has the position.',
  },
  INVALID_BLOCK_RANGE: {
    cause: 'The first block of the export is not below the last one.',
    remedy: 'Correct `--start-block` and `--end-block`.',
  },
  EMPTY_CHAIN: {
    cause: 'The data directory holds no block besides the genesis block.',
    remedy: 'Name the directory of a chain with blocks.',
  },
  CHAIN_DEVIATES: {
    cause:
      'The dev chain has a block that no other node accepts, for example after a changed balance or many blocks at once.',
    remedy: 'Export the blocks before it, or dump the state instead.',
  },
  INVALID_RLP: { cause: 'The bytes are not valid RLP.', remedy: 'Check that the value is complete.' },
  WRITER_CLOSED: {
    cause: 'The node was closed before a block was stored.',
    remedy: 'Keep the node open until the work is done.',
  },
  WRITER_QUEUE_FULL: {
    cause: 'Too many blocks wait to be stored.',
    remedy: 'Wait for earlier calls before you send more.',
  },
  // Answers of other nodes
  PROOF_INVALID: {
    cause: 'Another node gave an answer that its own proof, or a trusted block, contradicts.',
    remedy: 'The message names the datum. Do not use that node, or find out what changes its answers.',
  },
  HEAD_UNTRUSTED: {
    cause: 'A block of another node or of a mirror does not follow from what is trusted, or its seals do not suffice.',
    remedy: 'Compare the trusted hash with another source; a newer checkpoint may be needed.',
  },
}
