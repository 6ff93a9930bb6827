/**
 * Differences between anvil 1.7.1's answers and ours, with reasons. Nothing else may differ: the functions that convert
 * an answer of anvil into the expected answer (expected*.ts) only make changes listed in this table, and record each
 * use.
 * @module
 */

interface Difference {
  readonly anvil: string
  /** For profile `geth`, except for trace_* methods. */
  readonly ours: string
}

const TABLE = {
  'header: hashes, state root, size': {
    anvil:
      'has another genesis block, keeps slots of zero in storage tries, puts sidecars into the root of transactions',
    ours: 'as the Yellow Paper and EIP-4844 say; all other fields agree',
  },
  'receipt: blob gas price, time': {
    anvil: 'blobGasPrice in every receipt; blockTimestamp in receipts and logs',
    ours: 'blobGasPrice where there are blobs',
  },
  'callTracer: gas of the root': {
    anvil: 'without the intrinsic gas',
    ours: 'the gas limit, as go-ethereum',
  },
  'callTracer: names of errors': {
    anvil: 'names of its own for some (ERROR_NAMES)',
    ours: 'the words of go-ethereum',
  },
  'MODEXP of long numbers without gas': {
    anvil: 'fails',
    ours: 'is out of gas: the price comes before the limit of EIP-7823, as in go-ethereum',
  },
  'callTracer: logs of a failed transaction': {
    anvil: 'stay in the root',
    ours: 'none: they are undone',
  },
  'callTracer: index of logs': {
    anvil: 'counts those that are undone',
    ours: 'does not: it is that of the receipt',
  },
  'self-destruct in favour of oneself': {
    anvil: 'from and to nobody; or the value that the frame was called with, and its caller',
    ours: 'address, beneficiary and balance',
  },
  'prestateTracer: hash of code': {
    anvil: 'no codeHash',
    ours: 'codeHash beside code, as newer go-ethereum',
  },
  'prestateTracer: accounts that were empty': {
    anvil: 'are there with the balance 0, where they are created with slots of zero',
    ours: 'are left out, as go-ethereum without includeEmpty',
  },
  'prestateTracer: slots of an opcode that failed': {
    anvil: 'are there',
    ours: 'are not: SLOAD or SSTORE did not come to look at them',
  },
  'prestateTracer: former delegation of the recipient': {
    anvil: 'the account is not there',
    ours: 'is there: go-ethereum looks it up before authorizations apply',
  },
  'prestateTracer: new delegation of the recipient': {
    anvil: 'the account is there',
    ours: 'is not there, for the same reason',
  },
  'prestateTracer: delegation that is cleared': {
    anvil: 'post has no code',
    ours: 'post has the code `0x`',
  },
  'structLog: empty members': {
    anvil: '`memory: []` and `refund: 0`',
    ours: 'absent',
  },
  'structLog: refund': {
    anvil: 'what the frame itself has gained (a loss as a number of 64 bits), before the opcode',
    ours: 'the counter of the transaction, authorizations included; with that of SSTORE, since its price is known by then',
  },
  'structLog: gas cost of creations': {
    anvil: 'with the gas of the child',
    ours: 'without',
  },
  'structLog: gas cost of what failed': {
    anvil: 'what was taken before it was seen that it fails',
    ours: 'out of gas: what it would have cost, or its constant part; written to in a static call and return data out of bounds: 0',
  },
  'structLog: errors': {
    anvil: 'names of its own (STEP_ERRORS), also of what fails while it runs',
    ours: 'the words of go-ethereum, which logs before an opcode runs',
  },
  'structLog: undefined opcodes': {
    anvil: 'Unknown',
    ours: 'opcode 0x… not defined',
  },
  'structLog: empty init code': {
    anvil: 'one STOP',
    ours: 'no step',
  },
  'structLog: storage of what changed nothing': {
    anvil:
      'not what an SSTORE wrote that failed or left the slot as it was, nor what an SLOAD would have read that failed',
    ours: 'is there, and stays: go-ethereum notes it before the opcode runs',
  },
  'flat: block hash': {
    anvil: 'its own (see the header)',
    ours: 'ours',
  },
  'flat: calls that do not begin': {
    anvil: 'lists calls and creations that were refused for their value, and calls of precompiles by contracts',
    ours: 'as Besu: not listed, and not counted in subtraces and traceAddress',
  },
  'flat: result beside an error': {
    anvil: 'null, or what a reverted call returned',
    ours: 'as Besu: absent; the root of a transaction has revertReason',
  },
  'flat: names of errors': {
    anvil: 'names of its own for some (ERROR_NAMES)',
    ours: 'the words of Besu',
  },
  'flat: output of a precompile that a transaction calls': {
    anvil: 'what it returned',
    ours: 'as Besu: nothing',
  },
} as const satisfies Readonly<Record<string, Difference>>

export type DifferenceName = keyof typeof TABLE
export const DIFFERENCES: Readonly<Record<DifferenceName, Difference>> = TABLE

/** Number of times that each difference was met. */
export class Met {
  readonly counts: Map<DifferenceName, number> = new Map()

  add(name: DifferenceName): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }
}

/** Errors of callTracer: anvil's text → our permitted texts. */
export const ERROR_NAMES: Readonly<Record<string, RegExp>> = {
  'out of gas': /^contract creation code storage out of gas$/,
  'out of gas: out of memory': /^out of gas$/,
  'out of gas: reach memory limit': /^out of gas$/,
  'out of gas: invalid operand': /^out of gas$/,
  'invalid opcode': /^invalid opcode: (?:INVALID|opcode 0x[0-9a-f]+ not defined)$/,
  StackUnderflow: /^stack underflow \(\d+ <=> \d+\)$/,
  'Out of stack': /^stack limit reached 1024 \(1023\)$/,
  OutOfOffset: /^return data out of bounds$/,
  StateChangeDuringStaticCall: /^write protection$/,
  CallNotAllowedInsideStatic: /^write protection$/,
  CreateCollision: /^contract address collision$/,
  CreateContractSizeLimit: /^max code size exceeded$/,
  CreateContractStartingWithEF: /^invalid code: must not begin with 0xef$/,
  // The minimum cost of an opcode is checked first.
  CreateInitCodeSizeLimit: /^out of gas(?:: max initcode size exceeded: size \d+)?$/,
  'precompiled failed':
    /^(?:invalid input length|invalid final flag|bn256: malformed point|bad elliptic curve pairing size|invalid fp.Element encoding|one or more of base\/exponent\/modulus length exceeded 1024 bytes)$/,
}

/** Errors of steps: anvil's text → our text; undefined: none. */
export const STEP_ERRORS: Readonly<Record<string, RegExp | undefined>> = {
  'Some(OutOfGas)': /^out of gas$/,
  'Some(MemoryOOG)': /^out of gas$/,
  'Some(MemoryLimitOOG)': /^out of gas$/,
  'Some(InvalidOperandOOG)': /^out of gas$/,
  'Some(ReentrancySentryOOG)': /^out of gas: not enough gas for reentrancy sentry$/,
  'Some(StackUnderflow)': /^stack underflow \(\d+ <=> \d+\)$/,
  'Some(StackOverflow)': /^stack limit reached 1024 \(1023\)$/,
  'Some(CreateInitCodeSizeLimit)': /^out of gas(?:: max initcode size exceeded: size \d+)?$/,
  'Some(InvalidFEOpcode)': undefined,
  'Some(OpcodeNotFound)': undefined,
  'Some(InvalidJump)': undefined,
  'Some(OutOfOffset)': undefined,
  'Some(CallNotAllowedInsideStatic)': undefined,
  'Some(StateChangeDuringStaticCall)': undefined,
}

/** Errors of flat traces: anvil's text → our permitted texts. */
export const FLAT_ERRORS: Readonly<Record<string, RegExp>> = {
  StackUnderflow: /^Stack underflow$/,
  OutOfOffset: /^Out of bounds$/,
  StateChangeDuringStaticCall: /^Illegal state change$/,
  CallNotAllowedInsideStatic: /^Illegal state change$/,
  CreateCollision: /^Out of gas$/,
  CreateContractSizeLimit: /^Code is too large$/,
  CreateContractStartingWithEF: /^Code is invalid$/,
  CreateInitCodeSizeLimit: /^(?:Code is too large|Out of gas)$/,
  'Built-in failed': /^Precompile error$/,
}
