import type { VNode } from 'preact'
import { ActionForm } from '../../components/ActionForm.tsx'
import { Section } from '../../components/Page.tsx'
import { NATURAL, URL_TEXT } from '../../format/inputKinds.ts'
import { requestFirst } from '../../state/action.ts'
import { changed, useDevSettings } from './settings.ts'

const RESET = ['anvil_reset', 'hardhat_reset']

export function ChainForms(): VNode {
  const { forkedNetwork } = useDevSettings()
  return (
    <Section title="Chain">
      <ActionForm
        title="Reset"
        text="Begins the chain again: without blocks, pool, snapshots and settings."
        submit="Reset the chain"
        isDanger
        fields={[]}
        run={async () => {
          await requestFirst(RESET, [])
          changed()
          return 'The chain begins again.'
        }}
      />
      <ActionForm
        title="Fork"
        text={
          forkedNetwork
            ? 'Begins again on a block of another chain. Empty fields keep what the fork has.'
            : 'Begins again on a block of another chain. The node must have been started with --fork-url.'
        }
        submit="Begin on this block"
        isDanger
        fields={[
          { label: 'Node of the other chain', kind: URL_TEXT, isOptional: true, placeholder: 'https://…' },
          { label: 'Block', kind: NATURAL, isOptional: true },
        ]}
        run={async ([url, block]) => {
          if (url === undefined && block === undefined && !forkedNetwork)
            throw new RangeError('Name a node or a block.')
          const forking = {
            ...(url === undefined ? {} : { jsonRpcUrl: url }),
            ...(block === undefined ? {} : { blockNumber: Number(block) }),
          }
          await requestFirst(RESET, [{ forking }])
          changed()
          return 'The chain begins again on the other one.'
        }}
      />
      {forkedNetwork && (
        <ActionForm
          title="Address of the other chain"
          text="Asks another node for the same chain."
          submit="Set"
          fields={[{ label: 'Node', kind: URL_TEXT, placeholder: 'https://…' }]}
          run={async ([url]) => {
            await requestFirst(['anvil_setRpcUrl'], [url])
            return 'The node asks the new address.'
          }}
        />
      )}
    </Section>
  )
}
