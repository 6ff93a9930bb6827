import type { VNode } from 'preact'
import { areShortcutsOn, shortcuts, switchShortcuts } from '../state/shortcuts.ts'
import { Dialog } from './Dialog.tsx'

export function KeyboardHelp({ onClose }: { readonly onClose: () => void }): VNode {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl class="keys">
        {shortcuts.value.map(({ keys, text }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={areShortcutsOn.value}
          onChange={({ currentTarget }) => switchShortcuts(currentTarget.checked)}
        />
        Shortcuts of single keys
      </label>
    </Dialog>
  )
}
