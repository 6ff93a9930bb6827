/**
 * Descriptions of parameters that several methods have.
 * @module
 */

import { DEFAULT_RECEIPT_WAIT_MS, MAX_RECEIPT_WAIT_MS, MAX_STATE_RANGE_ITEMS } from '../../../base/limits/limits.ts'

const NUMBER_OR_TAG = 'Block number in hex or decimal text, or a tag.'
const PENDING = 'With the profile `geth`, `pending` is the next block; with `besu`, the head.'
const REFERENCE = 'Block number, tag, block hash, or an object of EIP-1898'

/** A canonical block; `pending` is the head. */
export const BLOCK: string = `${NUMBER_OR_TAG} \`pending\` is the head.`
/** A canonical block or the pending one. */
export const BLOCK_OR_PENDING: string = `${NUMBER_OR_TAG} ${PENDING}`
/** A block with or without a state, of a method that requires it. */
export const BLOCK_REFERENCE: string = `${REFERENCE}.`
export const STATE_BLOCK: string = `${REFERENCE}: the state after it is read. Absent: \`latest\`. ${PENDING}`
export const CALL_BLOCK: string = `${REFERENCE}: the call runs on the state after it. Absent: \`latest\`. ${PENDING}`
export const STORED_CALL_BLOCK: string = `${REFERENCE}: the call runs on the state after it. Absent: \`latest\`. \`pending\` is the head.`
export const ESTIMATE_BLOCK: string = `${REFERENCE}: the call runs on the state after it. Absent: \`latest\`; on the dev chain in the next block, after the waiting transactions. ${PENDING}`
export const BLOCK_HASH: string = 'Hash of the block, 32 bytes.'
export const FULL_TRANSACTIONS: string = 'true: whole transactions; false: only their hashes.'
export const TRANSACTION_HASH: string = 'Hash of the transaction, 32 bytes.'
export const TRANSACTION_INDEX: string = 'Position of the transaction in the block, from 0 on.'
export const OMMER_INDEX: string = 'Position of the ommer in the block, from 0 on.'
export const RAW_TRANSACTION: string =
  'Signed transaction: RLP, or type and payload of EIP-2718. A blob transaction has its blobs.'
export const RECEIPT_WAIT: string = `Milliseconds to wait for the receipt: ${DEFAULT_RECEIPT_WAIT_MS} if absent, at most ${MAX_RECEIPT_WAIT_MS}.`

export const ACCOUNT: string =
  'Address, 20 bytes. With the profile `besu`, a shorter one is padded with zeros on the left.'
/** For the methods of the dev chain, which never pad. */
export const DEV_ACCOUNT: string = 'Address, 20 bytes.'

const CALL_FIELDS =
  'Absent fields: `from` is the zero address, `to` makes it a creation, `value` is 0. `data` is a synonym of `input`. ' +
  '`nonce` is ignored.'
const CALL_GAS = 'Absent `gas`: the gas limit of the block with the profile `besu`, `--rpc-call-gas-cap` with `geth`.'
const CALL_FEES = 'Fees are charged only if the call has a price, or has `strict: true`.'
export const CALL: string = `The call. ${CALL_FIELDS} ${CALL_GAS} ${CALL_FEES}`
export const ESTIMATED_CALL: string = `The call. ${CALL_FIELDS} \`gas\` is an upper bound with the profile \`geth\`, and ignored with \`besu\`.`
export const LISTED_CALL: string = `The call. ${CALL_FIELDS} Fees are charged only with \`strict: true\`. With the profile \`besu\`, \`gas\` is ignored.`
export const TRACED_CALL: string = `The call. ${CALL_FIELDS} ${CALL_GAS} Without a price, it is free with the profile \`geth\`; with \`besu\` it pays like a transaction.`
export const STATE_OVERRIDES: string =
  'Balances, nonces, code and storage by address that replace those of the state. `state` replaces the whole storage, ' +
  '`stateDiff` single slots.'
export const BLOCK_OVERRIDES: string =
  'Fields that replace those of the block, such as `number`, `time` and `baseFeePerGas`.'
export const TRANSACTION_REQUEST: string =
  'The transaction. Absent fields are filled in: the next nonce, an estimate of the gas, current fees, and the first ' +
  'account as `from`. `type` follows from the other fields.'

export const LOG_FILTER: string =
  'Conditions: `fromBlock` and `toBlock` (default `latest`) or `blockHash`; `address`: one or a list; `topics`: by ' +
  'position a topic, a list of alternatives, or null for any.'
export const FILTER_ID: string = 'Id of the filter, as its creation returned it.'
export const SUBSCRIPTION_ID: string = 'Id of the subscription, as the subscription returned it.'

export const PAGE_LIMIT: string = `Maximum number of entries, at most ${MAX_STATE_RANGE_ITEMS}.`
export const PAGE_START: string = 'First hash, up to 32 bytes, padded with zeros on the left.'

export const TRACE_OPTIONS: string =
  '`tracer` and `tracerConfig`: a tracer by name and its configuration; absent: opcodes, which `disableStack`, ' +
  '`enableMemory` and their like select. `timeout` limits each transaction, for example `5s`.'
export const TRACE_TYPES: string =
  'List of `trace`, `vmTrace` and `stateDiff`; each becomes a member of the answer, others are null.'

export const METRICS_FROM: string = 'First block: a number or a tag. Absent: 100 blocks below the head, or block 0.'
export const METRICS_TO: string = 'Block after the last one: a number or a tag. Absent, or above the head: the head.'
export const ADDS: string = 'true: vote to add the account; false: vote to remove it.'

export const ENABLED: string = 'true: on; false: off.'
export const PASSPHRASE: string = 'Passphrase of the account. Absent: the empty text.'

export const PRIVACY_GROUP: string = 'Id of the privacy group, Base64 of 32 bytes.'
export const PRIVATE_TRANSACTION: string =
  'Signed private transaction: RLP that ends with `privateFrom`, the recipients or the group, and `restricted`.'
export const MARKER_HASH: string = 'Hash of the privacy marker transaction, 32 bytes.'
export const PRIVATE_FILTER: string =
  'Conditions: `fromBlock` and `toBlock`, or `blockHash`; `address` or `addresses`; `topics`. An absent end, `latest` and ' +
  '`pending` leave the range open.'
export const ENODE: string = 'Enode URL: `enode://<node id>@<IP address>:<port>[?discport=<port>]`.'
