import type { VNode } from 'preact'
import { ActionForm } from '../../components/ActionForm.tsx'
import { Button } from '../../components/Button.tsx'
import { NamedAddress } from '../../components/Contract.tsx'
import { Section } from '../../components/Page.tsx'
import { isAddress, shortened } from '../../format/hex.ts'
import { ADDRESS } from '../../format/inputKinds.ts'
import { requestFirst, useAction } from '../../state/action.ts'
import { useDraft } from '../../state/drafts.ts'

const MAX_LISTED = 50

/** Accounts from which the node sends transactions without a key. No method lists them, so the page remembers its own. */
export function Impersonation(): VNode {
  const [kept, keep] = useDraft('impersonated')
  const listed = kept.split(' ').filter(isAddress)
  const { isBusy, error, run } = useAction()
  const setAll = (isOn: boolean): void =>
    run(async () => {
      await requestFirst(['anvil_autoImpersonateAccount'], [isOn])
      return isOn ? 'Each account is impersonated.' : 'Only accounts by name are impersonated.'
    })
  const stop = (account: string): void =>
    run(async () => {
      await requestFirst(['anvil_stopImpersonatingAccount', 'hardhat_stopImpersonatingAccount'], [account])
      keep(listed.filter((other) => other !== account).join(' '))
      return `${shortened(account)} is no longer impersonated.`
    })
  return (
    <Section title="Impersonation">
      <ActionForm
        title="Impersonate an account"
        text="The node then accepts eth_sendTransaction from it without its key."
        submit="Impersonate"
        fields={[{ label: 'Account', kind: ADDRESS, placeholder: '0x…' }]}
        run={async ([value]) => {
          const account = String(value).toLowerCase()
          await requestFirst(['anvil_impersonateAccount', 'hardhat_impersonateAccount'], [account])
          keep([account, ...listed.filter((other) => other !== account)].slice(0, MAX_LISTED).join(' '))
          return `${shortened(account)} is impersonated.`
        }}
      />
      {listed.length > 0 && (
        <ul class="plain action" aria-label="Impersonated by this page">
          {listed.map((account) => (
            <li key={account} class="row">
              <NamedAddress value={account} />
              <Button isBusy={isBusy} label={`Stop impersonating ${account}`} onClick={() => stop(account)}>
                Stop
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div class="action">
        <h3>All accounts</h3>
        <div class="row">
          <Button isBusy={isBusy} onClick={() => setAll(true)}>
            Impersonate all
          </Button>
          <Button isBusy={isBusy} onClick={() => setAll(false)}>
            End it
          </Button>
        </div>
        {error && <p class="error-text">{error}</p>}
      </div>
    </Section>
  )
}
