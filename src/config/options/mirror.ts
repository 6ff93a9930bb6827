/**
 * Options of mirrors: copies of a chain that others read.
 * @module
 */
import { MIN_MIRROR_CACHE_BYTES, MIRROR_CACHE_BYTES } from '../../base/limits/limits.ts'

// biome-ignore format: one option per line reads as a table
export const MIRROR_OPTIONS = {
  'mirror-to': { type: 'text', group: 'edge', form: 'url', help: 'Publish the chain to this store, for replicas, Workers and pages: file:///directory, s3://bucket/prefix?endpoint=URL&region=NAME, redis://host, unstorage:DRIVER?option=value, or the https:// address of a Worker. Secrets come from the environment.' },
  'mirror-interval': { type: 'integer', group: 'edge', unit: 'milliseconds', default: 1000, min: 10, max: 3600000, help: 'Shortest time between two publications. Blocks that arrive meanwhile are published together.' },
  'mirror-key-file': { type: 'text', group: 'edge', form: 'file', help: 'Private key that signs what is published (default: mirror.key in the data directory, which is generated).' },
  'mirror-history': { type: 'text', group: 'edge', default: 'all', help: 'Number of newest blocks whose bodies and receipts the mirror keeps; all: those of every block. It has the states that the database has.' },
  'mirror-grace': { type: 'integer', group: 'edge', unit: 'seconds', default: 600, min: 1, max: 31536000, help: 'Time for which what newer publications replaced stays readable.' },

  'mirror-from': { type: 'text', group: 'edge', form: 'url', help: 'Answer from the mirror at this address, with no data directory: file:///directory, s3://bucket/prefix, redis://host or https://host/folder. Secrets come from the environment.' },
  'mirror-publisher': { type: 'text', group: 'edge', help: 'Address whose signatures count, as its publisher prints it at its start; any: the one that the mirror names.' },
  'mirror-verify': { type: 'choice', group: 'edge', default: 'signatures', choices: ['signatures', 'seals'], help: 'Checks at each publication: the signatures of the publisher, or also the hashes of all headers, their ancestry, and the seals of the consensus (QBFT, IBFT 2.0, Clique, proof of work).' },
  'mirror-checkpoint': { type: 'text', group: 'edge', form: 'hex', help: 'Hash of a block from which --mirror-verify=seals begins. Older blocks are as the publisher says (default: the genesis block that the mirror names).' },
  'mirror-poll': { type: 'integer', group: 'edge', unit: 'milliseconds', default: 1000, min: 10, max: 3600000, help: 'Time between two looks for a newer publication. Stores that can notify are read at once.' },
  'mirror-cache': { type: 'integer', group: 'edge', unit: 'bytes', default: MIRROR_CACHE_BYTES as number, min: MIN_MIRROR_CACHE_BYTES as number, help: 'Memory for what was read of the mirror.' },
  'mirror-max-lag': { type: 'integer', group: 'edge', unit: 'seconds', default: 60, min: 1, max: 31536000, help: 'Age of the newest publication beyond which the node is not ready.' },
  'mirror-when-stale': { type: 'choice', group: 'edge', default: 'serve', choices: ['serve', 'refuse'], help: 'Beyond --mirror-max-lag: serve the last known head, or refuse all that depends on the head.' },
  'mirror-upstream': { type: 'text', group: 'edge', form: 'url', help: 'Node that eth_sendRawTransaction is passed on to. Transactions that it accepts are shown as pending until they are published.' },
} as const
