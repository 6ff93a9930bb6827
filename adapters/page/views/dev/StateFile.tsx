import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { Button } from '../../components/Button.tsx'
import { Section } from '../../components/Page.tsx'
import { byteSize } from '../../format/numbers.ts'
import { requestFirst, useAction } from '../../state/action.ts'
import { saveFile } from '../../state/saveFile.ts'
import { changed } from './settings.ts'
import { dumpParameter, MAX_DUMP_BYTES } from './stateFile.ts'

/** The whole chain as a file, which this node and anvil read. */
export function StateFile(): VNode {
  const input = useRef<HTMLInputElement>(null)
  const { isBusy, error, run } = useAction()
  const save = (): void =>
    run(async () => {
      const dump = await requestFirst<string>(['anvil_dumpState', 'hardhat_dumpState'], [])
      const bytes = new Uint8Array(hexToBytes(dump))
      saveFile('chain.dump', bytes, 'application/octet-stream')
      return `Saved, ${byteSize(bytes.length)}.`
    })
  const load = (file: File | undefined): void => {
    if (file === undefined) return
    run(async () => {
      if (file.size > MAX_DUMP_BYTES) throw new RangeError(`The file is larger than ${byteSize(MAX_DUMP_BYTES)}.`)
      const dump = dumpParameter(new Uint8Array(await file.arrayBuffer()))
      await requestFirst(['anvil_loadState', 'hardhat_loadState'], [dump])
      changed()
      return 'The chain is loaded.'
    })
    if (input.current !== null) input.current.value = ''
  }
  return (
    <Section title="Chain as a file">
      <div class="action">
        <h3>Save</h3>
        <p class="muted">All blocks and states, as anvil_dumpState gives them.</p>
        <div class="row">
          <Button isBusy={isBusy} onClick={save}>
            Save the chain
          </Button>
        </div>
      </div>
      <div class="action">
        <h3>Load</h3>
        <p class="muted">Replaces the whole chain. Pool and snapshots are removed.</p>
        <div class="row">
          <label class="field">
            <span class="visually-hidden">File with a chain</span>
            <input
              ref={input}
              type="file"
              disabled={isBusy}
              onChange={({ currentTarget }) => load(currentTarget.files?.[0])}
            />
          </label>
        </div>
      </div>
      {error && (
        <p class="error-text" role="alert">
          {error}
        </p>
      )}
    </Section>
  )
}
