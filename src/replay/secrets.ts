/**
 * Removes what could sign or prove something from recorded calls: keys, passwords, signatures and signed transactions.
 * @module
 */
import { bytesToHex, hexToBytes } from '../base/primitives/bytes.ts'
import { decodeTransaction, transactionSender } from '../types/transactionCodec.ts'
import type { CallParams, RecordedCall } from './recording.ts'

/** Methods whose parameters and results are all secret. */
const SECRET_METHOD = /^(?:personal_|eth_sign|wallet_sign|evm_addAccount$|eth_(?:decrypt|getEncryptionPublicKey)$)/
/** Methods whose parameters are signed transactions. */
const SIGNED_METHOD = /(?:SendRawTransaction|sendRawTransaction(?:Sync|Conditional)?|sendPrivate\w*|sendBundle)$/
/** Members of parameters and results, at any depth. */
const SECRET_MEMBER = /^(?:private_?key|mnemonic|seed(?:_?phrase)?|pass(?:word|phrase)|secret|signature)$/i
/** Deeper values are cut off. */
const MAX_DEPTH = 64

const MASK = '(not recorded)'

/** The same call without its secrets. A transaction that its sender signed becomes one that a node could send for it. */
export function withoutSecrets(call: RecordedCall): RecordedCall {
  const { method, params, result } = call
  if (SECRET_METHOD.test(method)) return masked(call, [])
  if (SIGNED_METHOD.test(method)) {
    const unsigned = unsignedParams(method, params)
    return unsigned === undefined ? { ...call, params: [], omitted: 'secret' } : { ...call, params: unsigned }
  }
  const cleanParams = withoutMembers(params) as CallParams
  return 'result' in call
    ? { ...call, params: cleanParams, result: withoutMembers(result) }
    : { ...call, params: cleanParams }
}

function masked({ error, ...call }: RecordedCall, params: CallParams): RecordedCall {
  const outcome = error === undefined ? {} : { error: { code: error.code, message: error.message } }
  return { ...call, ...outcome, params, ...('result' in call ? { result: MASK } : {}), omitted: 'secret' }
}

/** @returns undefined unless the only parameter is a transaction whose effects do not depend on its signature */
function unsignedParams(method: string, params: CallParams): CallParams | undefined {
  if (!/^eth_sendRawTransaction(?:Sync)?$/.test(method) || !Array.isArray(params)) return undefined
  const [raw] = params as readonly unknown[]
  if (typeof raw === 'object' && raw !== null && 'from' in raw) return params
  if (typeof raw !== 'string' || !/^0x(?:[0-9a-f]{2})+$/i.test(raw)) return undefined
  try {
    return unsignedForm(hexToBytes(raw.slice(2)))
  } catch {
    return undefined
  }
}

/** In the form of `eth_sendTransaction`. Fees and nonce are those of the chain on which it is sent again. */
function unsignedForm(raw: Uint8Array): CallParams | undefined {
  const transaction = decodeTransaction(raw)
  const from = transactionSender(transaction)
  if (from === undefined || transaction.type === 3 || transaction.type === 4) return undefined
  const { to, value, gasLimit, data } = transaction
  return [
    {
      from: bytesToHex(from),
      ...(to === undefined ? {} : { to: bytesToHex(to) }),
      gas: `0x${gasLimit.toString(16)}`,
      value: `0x${value.toString(16)}`,
      data: bytesToHex(data),
    },
  ]
}

function withoutMembers(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return MASK
  if (Array.isArray(value)) return value.map((item) => withoutMembers(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      SECRET_MEMBER.test(name) ? MASK : withoutMembers(member, depth + 1),
    ]),
  )
}
