import type { VNode } from 'preact'
import { ActionForm, type FormValue } from '../../components/ActionForm.tsx'
import { Button } from '../../components/Button.tsx'
import { Section } from '../../components/Page.tsx'
import { NATURAL } from '../../format/inputKinds.ts'
import { requestFirst, useAction } from '../../state/action.ts'
import { changed, useDevSettings } from './settings.ts'

export function BlockForms(): VNode {
  return (
    <Section title="Blocks">
      <ActionForm
        title="Mine"
        text="More than 512 empty blocks take no longer than 512: they are derived when they are read."
        submit="Mine"
        fields={[
          { label: 'Blocks', kind: NATURAL, initial: '1' },
          { label: 'Seconds between them', kind: NATURAL, isOptional: true },
        ]}
        run={async ([blocks, seconds]) => {
          const params = seconds === undefined ? [blocks] : [blocks, seconds]
          await requestFirst(['anvil_mine', 'hardhat_mine'], params)
          return `${blockCount(blocks)} mined.`
        }}
      />
      <AutomineForm />
      <ActionForm
        title="Interval"
        text="A block every so many seconds; 0 ends it."
        submit="Set"
        fields={[{ label: 'Seconds', kind: NATURAL, initial: '0' }]}
        run={async ([seconds]) => {
          await requestFirst(['anvil_setIntervalMining', 'evm_setIntervalMining'], [Number(seconds)])
          changed()
          return Number(seconds) === 0 ? 'Blocks at an interval are off.' : `A block every ${Number(seconds)} s.`
        }}
      />
      <ActionForm
        title="Reorganise"
        text="Replaces the newest blocks by empty ones. Their transactions are dropped."
        submit="Reorganise"
        isDanger
        fields={[{ label: 'Blocks to replace', kind: NATURAL, initial: '1' }]}
        run={async ([depth]) => {
          await requestFirst(['anvil_reorg'], [Number(depth), []])
          return `${blockCount(depth)} replaced.`
        }}
      />
      <ActionForm
        title="Roll back"
        text="Removes the newest blocks. Their transactions are dropped."
        submit="Roll back"
        isDanger
        fields={[{ label: 'Blocks to remove', kind: NATURAL, initial: '1' }]}
        run={async ([depth]) => {
          await requestFirst(['anvil_rollback'], [Number(depth)])
          return `${blockCount(depth)} removed.`
        }}
      />
    </Section>
  )
}

function AutomineForm(): VNode {
  const { automine } = useDevSettings()
  const { isBusy, error, run } = useAction()
  const set = (isOn: boolean): void =>
    run(async () => {
      await requestFirst(['evm_setAutomine'], [isOn])
      changed()
      return isOn ? 'Each transaction is mined at once.' : 'Transactions wait for a block.'
    })
  return (
    <div class="action">
      <h3>Automine</h3>
      <p class="muted">
        {automine === false ? 'Transactions wait until a block is mined.' : 'Each transaction is mined at once.'}
      </p>
      <div class="row">
        <Button isBusy={isBusy} onClick={() => set(automine === false)}>
          {automine === false ? 'Mine at once' : 'Let transactions wait'}
        </Button>
      </div>
      {error && <p class="error-text">{error}</p>}
    </div>
  )
}

function blockCount(value: FormValue): string {
  const number = Number(value)
  return number === 1 ? 'One block is' : `${number} blocks are`
}
