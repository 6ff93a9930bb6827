import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import { functionsOf } from '../../../abi/functions.ts'
import { Section } from '../../../components/Page.tsx'
import { Empty } from '../../../components/states.tsx'
import { offers, refusalAdvice } from '../../../rpc/capabilities.ts'
import type { ContractInfo } from '../../../rpc/isonode.ts'
import { contractAt } from '../../../state/meaning.ts'
import { capabilities } from '../../../state/node.ts'
import { FunctionForm } from './FunctionForm.tsx'
import { SenderChoice, useSenders } from './SenderChoice.tsx'

interface Props {
  readonly address: string
  readonly contract: ContractInfo | undefined
}

/** Forms for all functions of the ABI; those of the target where the contract is a proxy. */
export function InteractTab({ address, contract }: Props): VNode {
  const target = contract?.implementation ?? contract?.delegation
  const behind = target == null ? undefined : (contractAt(target).value ?? undefined)
  const abi = useMemo(() => [...(behind?.abi ?? []), ...(contract?.abi ?? [])], [behind, contract])
  const functions = useMemo(() => uniqueFunctions(abi), [abi])
  const senders = useSenders()
  const [reads, writes] = [functions.filter(({ isRead }) => isRead), functions.filter(({ isRead }) => !isRead)]
  if (functions.length === 0) {
    return (
      <Empty title="The functions of this contract are not known.">
        {offers(capabilities.value, 'isonode')
          ? 'Start the node with --abi=DIRECTORY, where DIRECTORY has the artifacts of Hardhat or Foundry.'
          : refusalAdvice(capabilities.value, 'isonode_contractAt')}
      </Empty>
    )
  }
  return (
    <div class="columns">
      <Section title="Read">
        {reads.length === 0 && <p class="muted">No functions that only read.</p>}
        {reads.map((one) => (
          <FunctionForm key={one.signature} address={address} target={one} sender={undefined} />
        ))}
      </Section>
      <Section title="Write">
        <SenderChoice senders={senders} />
        {writes.map((one) => (
          <FunctionForm key={one.signature} address={address} target={one} sender={senders.chosen} />
        ))}
      </Section>
    </div>
  )
}

function uniqueFunctions(abi: Parameters<typeof functionsOf>[0]) {
  return [...new Map(functionsOf(abi).map((one) => [one.signature, one])).values()]
}
