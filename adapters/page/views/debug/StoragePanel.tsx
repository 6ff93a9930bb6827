import type { VNode } from 'preact'
import { Answer } from '../../components/Answer.tsx'
import { Address } from '../../components/Hash.tsx'
import { Empty } from '../../components/states.tsx'
import { grouped } from '../../format/numbers.ts'
import { contractAt } from '../../state/meaning.ts'
import { useQuery } from '../../state/query.ts'
import { type SlotAccess, slotAccesses } from './slotAccesses.ts'
import type { StepCache } from './stepCache.ts'
import { targetKey } from './target.ts'
import type { Step, Target } from './types.ts'

interface Props {
  readonly target: Target
  readonly cache: StepCache
  readonly step: Step
  readonly onOpen: (step: number) => void
}

/** The last accesses to storage and transient storage, the newest first. They are searched when the panel is open. */
export function StoragePanel({ target, cache, step, onOpen }: Props): VNode {
  const query = useQuery<readonly SlotAccess[]>(`slots ${targetKey(target)} ${step.index}`, (ask) =>
    slotAccesses(ask, target, cache, step),
  )
  return (
    <Answer query={query} what="the accesses to storage">
      {(accesses) =>
        accesses.length === 0 ? (
          <Empty title="No slot was read or written so far." />
        ) : (
          <ul class="slots">
            {accesses.map((access) => (
              <li key={access.step}>
                <Access access={access} isNow={access.step === step.index} onOpen={onOpen} />
              </li>
            ))}
          </ul>
        )
      }
    </Answer>
  )
}

/** Without zeros in front. */
function trimmed(hex: string): string {
  return hex.replace(/^0x0+(?=.)/, '0x')
}

interface AccessProps {
  readonly access: SlotAccess
  readonly isNow: boolean
  readonly onOpen: (step: number) => void
}

function Access({
  access: { step, address, isWrite, isTransient, slot, value, warmth },
  isNow,
  onOpen,
}: AccessProps): VNode {
  return (
    <>
      <p class="slot-head">
        <button type="button" class="link" data-row onClick={() => onOpen(step)}>
          {isNow ? 'This step' : `Step ${grouped(step)}`}
        </button>{' '}
        {isWrite ? 'writes' : 'reads'} {isTransient ? 'transient storage' : 'storage'}
        {warmth && `, ${warmth}`}, of <Address value={address} name={contractAt(address).value?.name} />
      </p>
      <code class="word">
        {trimmed(slot)} = {trimmed(value)}
      </code>
    </>
  )
}
