import type { CallSimulator } from '../../../api/calls/contract.ts'
import { requireHeader, type StateQuery } from '../../../api/lookup.ts'
import type { Residency } from '../../../base/ports/keyValueStore.ts'
import { bytesToHex, bytesToHexUnprefixed, equalBytes, trimLeadingZeros } from '../../../base/primitives/bytes.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { JsonWriter } from '../../../base/primitives/jsonWriter.ts'
import { EMPTY_CODE_HASH } from '../../../base/primitives/keccak.ts'
import type { AccountEntry, StateReader } from '../../../state/contract.ts'
import { accountPages, storagePages } from '../../../state/pages.ts'
import { retryMissesMaybe } from '../../../storage/retryMisses.ts'
import { blockNumberOrTag } from '../../codecs/blockParameter.ts'
import { answerCodec } from '../../codecs/support.ts'
import { defineMethod, type MethodDefinition, param, type RequestContext, result } from '../../method.ts'
import { StreamedResult } from '../../streamedResult.ts'
import { BLOCK_OR_PENDING } from '../support/parameterTexts.ts'

interface Backend extends StateQuery {
  readonly calls: Pick<CallSimulator, 'slicer'>
  readonly residency?: Residency | undefined
}

const stateDump = answerCodec<undefined>(
  { title: 'State dump', type: 'object', required: ['root', 'accounts'] },
  () => null,
)

export const dumpBlock: MethodDefinition<Backend> = defineMethod({
  name: 'debug_dumpBlock',
  group: 'DEBUG',
  answeredBy: 'any',
  summary: 'All accounts after a block with their code and storage, in the format of go-ethereum.',
  params: [param('block', blockNumberOrTag, BLOCK_OR_PENDING)],
  result: result('state', stateDump),
  errors: ['BLOCK_NOT_FOUND', 'UNKNOWN_BLOCK', 'WORLD_STATE_UNAVAILABLE', 'TIMEOUT'],
  handler: (backend: Backend, [reference], context) => {
    const header = requireHeader(backend.chain, reference, backend.pending)
    const state = backend.states.at(header)
    if (state === undefined) throw new NodeError({ code: 'WORLD_STATE_UNAVAILABLE' }, 'missing trie node')
    return new StreamedResult((out) => writeState(backend, state, out, context))
  },
})

async function writeState(
  { calls, residency }: Backend,
  state: StateReader,
  out: JsonWriter,
  context: RequestContext,
): Promise<void> {
  const slicer = calls.slicer()
  const pace = async (): Promise<void> => {
    if (context.aborted) throw new NodeError({ code: 'TIMEOUT' }, 'request timed out')
    if (out.isFull) await out.drained()
    if (slicer?.isDue) await slicer.yield()
  }
  out.ascii(`{"root":"${bytesToHexUnprefixed(state.root.hash)}","accounts":{`)
  let separator = ''
  for await (const page of accountPages(state, residency)) {
    for (const entry of page) {
      out.ascii(separator)
      await writeAccount(state, entry, out, residency, pace)
      separator = ','
      await pace()
    }
  }
  out.ascii('}}')
}

async function writeAccount(
  state: StateReader,
  { hash, address, account }: AccountEntry,
  out: JsonWriter,
  residency: Residency | undefined,
  pace: () => Promise<void>,
): Promise<void> {
  const name = address === undefined ? `pre(${bytesToHex(hash)})` : bytesToHex(address)
  const { nonce, balance, storageRoot, codeHash } = account
  out.ascii(`"${name}":{"balance":"${balance}","nonce":${nonce},"root":"${bytesToHex(storageRoot)}",`)
  out.ascii(`"codeHash":"${bytesToHex(codeHash)}"`)
  if (address !== undefined) {
    if (!equalBytes(codeHash, EMPTY_CODE_HASH)) {
      out.ascii(',"code":"0x')
      out.hex(await retryMissesMaybe(() => state.getCode(address), residency))
      out.ascii('"')
    }
    let separator = ',"storage":{'
    for await (const page of storagePages(state, address, residency)) {
      for (const { hash: slotHash, slot, value } of page) {
        out.ascii(`${separator}"${bytesToHex(slot ?? slotHash)}":"${bytesToHexUnprefixed(trimLeadingZeros(value))}"`)
        separator = ','
      }
      await pace()
    }
    if (separator === ',') out.ascii('}')
    out.ascii(`,"address":"${name}"`)
  }
  out.ascii(`,"key":"${bytesToHex(hash)}"}`)
}
