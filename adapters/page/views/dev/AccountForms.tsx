import type { VNode } from 'preact'
import { ActionForm, type FormField } from '../../components/ActionForm.tsx'
import { Section } from '../../components/Page.tsx'
import { shortened } from '../../format/hex.ts'
import { ADDRESS, AMOUNT, BYTES, NATURAL, WORD } from '../../format/inputKinds.ts'
import { requestFirst } from '../../state/action.ts'

const ACCOUNT: FormField = { label: 'Account', kind: ADDRESS, placeholder: '0x…' }

/** Changes to accounts, which a new block contains. */
export function AccountForms(): VNode {
  return (
    <Section title="State of accounts">
      <ActionForm
        title="Balance"
        submit="Set"
        fields={[ACCOUNT, { label: 'Balance', kind: AMOUNT, initial: '10000', hint: 'ETH, or with a unit: 3 gwei' }]}
        run={async ([account, balance]) => {
          await requestFirst(['anvil_setBalance', 'hardhat_setBalance'], [account, balance])
          return `The balance of ${shortened(String(account))} is set.`
        }}
      />
      <ActionForm
        title="Nonce"
        submit="Set"
        fields={[ACCOUNT, { label: 'Nonce', kind: NATURAL }]}
        run={async ([account, nonce]) => {
          await requestFirst(['anvil_setNonce', 'hardhat_setNonce'], [account, nonce])
          return `The nonce of ${shortened(String(account))} is set.`
        }}
      />
      <ActionForm
        title="Code"
        text="Runs as it is: no constructor is called. 0x removes the code."
        submit="Set"
        fields={[ACCOUNT, { label: 'Code', kind: BYTES, placeholder: '0x…', rows: 3 }]}
        run={async ([account, code]) => {
          await requestFirst(['anvil_setCode', 'hardhat_setCode'], [account, code])
          return `The code of ${shortened(String(account))} is set.`
        }}
      />
      <ActionForm
        title="Storage"
        submit="Set"
        fields={[ACCOUNT, { label: 'Slot', kind: WORD, initial: '0' }, { label: 'Value', kind: WORD }]}
        run={async ([account, slot, value]) => {
          await requestFirst(['anvil_setStorageAt', 'hardhat_setStorageAt'], [account, slot, value])
          return `The slot of ${shortened(String(account))} is set.`
        }}
      />
    </Section>
  )
}
