import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { expect, it } from 'vitest'
import { openStateFiles } from '../../../../../adapters/server/data/stateFiles.ts'
import { silentLogger } from '../../../../../src/base/ports/logging.ts'
import { ProgressReport } from '../../../../../src/cli/progress.ts'

it('shows the progress of a load on a terminal, and removes the line at its end', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'isonode-state-'))
  const file = path.join(folder, 'state.json')
  writeFileSync(file, new Uint8Array(200_000))
  const written: string[] = []
  let now = 0
  const progress = new ProgressReport(
    { columns: 300, write: (text: string) => written.push(text) },
    expect.fail,
    () => now,
  )
  const load = async (source: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const _ of source) now += 1000
  }
  const options = { state: undefined, 'load-state': file, 'dump-state': undefined, 'state-interval': undefined }
  try {
    await openStateFiles(options, { load, dump: expect.fail }, { progress, logger: silentLogger })
  } finally {
    rmSync(folder, { recursive: true })
  }
  expect(written[0]).toBe(`\r\x1b[Kloading the state file=${file}: 0 %`)
  expect(written[1]).toContain(`loading the state file=${file}: 32 %, about `)
  expect(written.at(-2)).toContain(': 100 %')
  expect(written.at(-1)).toBe('\r\x1b[K')
})

it('reports a missing file once: as an error of the start', async () => {
  const options = {
    state: undefined,
    'load-state': '/nonexistent/state.json',
    'dump-state': undefined,
    'state-interval': undefined,
  }
  const unexpected = (): never => expect.fail()
  const unhandled: unknown[] = []
  const note = (error: unknown): void => void unhandled.push(error)
  process.on('uncaughtException', note)
  const progress = new ProgressReport({ columns: 80, write: unexpected }, unexpected, () => 0)
  const opening = openStateFiles(options, { load: unexpected, dump: unexpected }, { progress, logger: silentLogger })
  await expect(opening).rejects.toMatchObject({ code: 'STATE_FILE_FAILED', message: expect.stringContaining('ENOENT') })
  await new Promise((resolve) => setImmediate(resolve))
  process.off('uncaughtException', note)
  expect(unhandled).toEqual([])
})
