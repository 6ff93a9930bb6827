import type { VNode } from 'preact'
import { ActionForm } from '../../components/ActionForm.tsx'
import { Section } from '../../components/Page.tsx'
import { NATURAL, TIME } from '../../format/inputKinds.ts'
import { exactTime } from '../../format/time.ts'
import { requestFirst } from '../../state/action.ts'

export function TimeForms(): VNode {
  return (
    <Section title="Time">
      <ActionForm
        title="Go forward"
        text="The clock of the chain advances; the next block shows it."
        submit="Advance"
        fields={[{ label: 'Seconds', kind: NATURAL, initial: '3600', hint: '86 400 are a day.' }]}
        run={async ([seconds]) => {
          await requestFirst(['evm_increaseTime'], [Number(seconds)])
          return `The clock is ${Number(seconds)} s further.`
        }}
      />
      <ActionForm
        title="Time of the next block"
        text="Later than the time of the head. The clock continues from there."
        submit="Set"
        fields={[{ label: 'Time', kind: TIME, placeholder: '2027-01-31 12:00' }]}
        run={async ([time]) => {
          await requestFirst(['evm_setNextBlockTimestamp'], [Number(time)])
          return `The next block has the time ${exactTime(Number(time))}.`
        }}
      />
      <ActionForm
        title="Clock"
        text="Sets the clock of the chain, also to an earlier time."
        submit="Set"
        fields={[{ label: 'Time', kind: TIME, placeholder: '2027-01-31 12:00' }]}
        run={async ([time]) => {
          await requestFirst(['evm_setTime'], [Number(time)])
          return `The clock shows ${exactTime(Number(time))}.`
        }}
      />
      <ActionForm
        title="Time between blocks"
        text="Further blocks are exactly so many seconds apart; without a number they have the time of the clock."
        submit="Set"
        fields={[{ label: 'Seconds', kind: NATURAL, isOptional: true }]}
        run={async ([seconds]) => {
          if (seconds === undefined) await requestFirst(['anvil_removeBlockTimestampInterval'], [])
          else await requestFirst(['anvil_setBlockTimestampInterval'], [Number(seconds)])
          return seconds === undefined ? 'Blocks have the time of the clock.' : `Blocks are ${Number(seconds)} s apart.`
        }}
      />
    </Section>
  )
}
