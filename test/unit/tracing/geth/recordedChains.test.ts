// slow: whole recorded chains
/** Checks traces of recorded chains against the receipts and states of their blocks. */
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../../src/chain/contract.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { GETH_TRACERS, type TracerMaker } from '../../../../src/tracing/geth/index.ts'
import { blockTracer } from '../../../support/chains/tracedChain.ts'
import {
  blockFile,
  importFile,
  inPieces,
  openRecorded,
  RECORDED_CHAINS,
  recordedConfig,
} from '../../../support/recorded/recordedChains.ts'

const FOLDERS = ['besu/trace', 'besu/osaka', 'execution-apis-cancun']
const PIECE_BYTES = 1 << 20

interface Log {
  readonly address: string
  readonly data: string
  readonly index: string
}
interface Frame {
  readonly gasUsed: string
  readonly error?: string
  readonly calls?: readonly Frame[]
  readonly logs?: readonly Log[]
}
interface AccountText {
  readonly nonce?: number
  readonly storage?: Readonly<Record<string, string>>
}
interface Traces {
  readonly callTracer: Frame
  readonly flatCallTracer: readonly unknown[]
  readonly prestateTracer: { readonly post: Readonly<Record<string, AccountText>> }
}

const factory = (GETH_TRACERS.get('muxTracer') as TracerMaker)({
  callTracer: { withLog: true },
  flatCallTracer: { includePrecompiles: true },
  prestateTracer: { diffMode: true },
})

function framesOf(frame: Frame): Frame[] {
  return [frame, ...(frame.calls ?? []).flatMap(framesOf)]
}

function logsOf(frames: readonly Frame[]): Log[] {
  return frames.flatMap(({ logs = [] }) => logs).sort((a, b) => Number(a.index) - Number(b.index))
}

/** Compares the calls of a block with its receipts. */
function checkReceipts(chain: Chain, { hash }: ChainHeader, traces: readonly Traces[]): void {
  const receipts = chain.receipts(hash) ?? []
  const logs: Log[] = []
  for (const [i, { callTracer, flatCallTracer }] of traces.entries()) {
    const frames = framesOf(callTracer)
    expect(BigInt(callTracer.gasUsed)).toBe(receipts[i]?.gasUsed)
    expect(callTracer.error === undefined).toBe(receipts[i]?.status)
    expect(flatCallTracer).toHaveLength(frames.length)
    logs.push(...logsOf(frames))
  }
  const stored = receipts.flatMap((receipt) => receipt.logs)
  expect(logs.map(({ index, address, data }) => ({ index: Number(index), address, data }))).toEqual(
    stored.map(({ address, data }, index) => ({ index, address: bytesToHex(address), data: bytesToHex(data) })),
  )
}

/** The last value that a block reports for a slot or nonce must be in the state after it. */
function checkState(chain: Chain, header: ChainHeader, traces: readonly Traces[]): void {
  const state = chain.stateAt(header)
  const posts = traces.flatMap(({ prestateTracer }) => Object.entries(prestateTracer.post))
  const last = new Map<string, AccountText>()
  for (const [address, { nonce, storage }] of posts) {
    const known = last.get(address) ?? {}
    last.set(address, { ...known, ...(nonce !== undefined && { nonce }), storage: { ...known.storage, ...storage } })
  }
  for (const [key, { nonce, storage = {} }] of last) {
    const address = hexToBytes(key)
    const account = state?.getAccount(address)
    // Deleted by a later transaction.
    if (account === undefined) continue
    if (nonce !== undefined) expect(Number(account.nonce)).toBe(nonce)
    for (const [slot, value] of Object.entries(storage)) {
      const stands = bytesToHex(state?.getStorage(address, hexToBytes(slot)) ?? new Uint8Array(0))
      // Cleared by a later transaction.
      if (!/^0x0*$/.test(stands)) expect(stands).toBe(value)
    }
  }
}

describe.each(RECORDED_CHAINS.filter(({ folder }) => FOLDERS.includes(folder)))('$folder', (recorded) => {
  it('is traced as it ran', { timeout: 60_000 }, async () => {
    const kv = new MemoryStore()
    const chain = await openRecorded(recorded, { kv })
    await importFile(chain, inPieces(blockFile(recorded), PIECE_BYTES), { verifySeal: false })
    const trace = await blockTracer(chain, kv, recordedConfig(recorded))
    for (let number = 1; number <= recorded.blocks; number++) {
      const header = chain.headerByNumber(number) as ChainHeader
      const traces = await trace<Traces>(header, factory)
      checkReceipts(chain, header, traces)
      checkState(chain, header, traces)
    }
  })
})
