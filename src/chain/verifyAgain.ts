import { bytesToHex } from '../base/primitives/bytes.ts'
import { processBlock } from './blockProcessor.ts'
import { corrupt } from './blockRecord.ts'
import type { StoredHeader } from './blockTables.ts'
import { encodedBlock, withSenders } from './preparedBlock.ts'
import type { WriteTask } from './writeTask.ts'

/**
 * Validates and executes a stored block again, without changing the head or writing anything.
 * @returns why the block is invalid
 */
export async function verifyAgain(
  task: WriteTask,
  { hash, header }: StoredHeader,
  parent: StoredHeader,
  nowMs: number,
): Promise<string | undefined> {
  const { blocks, stage } = task
  const { modules } = task.base
  const [body, transactions] = await task.resident(() => [blocks.body(hash), blocks.transactionKeys(hash)] as const)
  if (body === undefined || transactions === undefined) throw corrupt(`block ${bytesToHex(hash)} is incomplete`)
  const encoded = encodedBlock({ header, ...body }, modules.consensus)
  const prepared = withSenders(encoded, transactions.senders, transactions.hashes)
  // The seal was accepted, or deliberately not checked, at import.
  const context = { parent, blocks, stage, verifySeal: false, nowMs }
  const processed = await processBlock(prepared, context, modules)
  return processed.kind === 'invalid' ? processed.reason : undefined
}
