/** The list of keyboard shortcuts. */
import { Dialog } from '../../ui/dialog.tsx'
import { areShortcutsOn } from '../ui/shortcut-keys.ts'
import { PAGES_BY_KEY } from './office-shortcuts.ts'

const SHORTCUTS: readonly (readonly [keys: readonly string[], text: string])[] = [
  [['/'], 'Search'],
  [['Ctrl', 'K'], 'Search, even while typing in a field'],
  ...Object.entries(PAGES_BY_KEY).map(([key, text]) => [['g', key], text] as const),
  [['n'], 'Add registration'],
  [['j'], 'Next row'],
  [['k'], 'Previous row'],
  [['x'], 'Select the row'],
  [['Enter'], 'Open the row'],
  [['['], 'Previous registration'],
  [[']'], 'Next registration'],
  [['?'], 'Show this list'],
]

export const ShortcutsDialog = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Keyboard shortcuts" onClose={onClose}>
    <dl className="keys">
      {SHORTCUTS.map(([keys, text]) => (
        <div key={text}>
          <dt>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
    <p className="mute">
      {areShortcutsOn()
        ? 'You can switch off single-key shortcuts in the user menu.'
        : 'Single-key shortcuts are off. You can switch them on in the user menu.'}
    </p>
    <div className="actions">
      <button type="button" className="btn" onClick={onClose}>
        Close
      </button>
    </div>
  </Dialog>
)
