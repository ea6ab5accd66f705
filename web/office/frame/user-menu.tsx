/** The user menu: account, appearance, shortcuts and sign-out. */
import { useState } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { ROLE_LABELS } from '../../../engine/index.ts'
import type { SessionResponse } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { ACCOUNT } from '../office-api-and-urls.ts'
import { chooseColorTheme, COLOR_THEMES, readColorTheme } from '../ui/color-theme.ts'
import { chooseDensity, DENSITIES, readDensity } from '../ui/density.ts'
import { areShortcutsOn, setShortcutsOn } from '../ui/shortcut-keys.ts'
import { Popup } from './panel.tsx'

const THEME_LABELS = { system: 'Same as device', light: 'Light', dark: 'Dark' } as const
const DENSITY_LABELS = { comfortable: 'Comfortable', compact: 'Compact' } as const

type UserMenuProps = {
  readonly session: SessionResponse
  readonly onShowShortcuts: () => void
  readonly onLogOut: () => void
}

export const UserMenu = ({ session, onShowShortcuts, onLogOut }: UserMenuProps) => (
  <Popup
    className="usermenu"
    button={
      <>
        <Icon name="user" />
        <span className="name">{session.username}</span>
        <span className="vh"> (account and settings)</span>
      </>
    }
  >
    {(close) => (
      <>
        <p className="mute">
          Signed in as <b>{session.username}</b>, {ROLE_LABELS[session.role]}
        </p>
        <Link to={ACCOUNT} onClick={close}>
          <Icon name="lock" />
          Your account
        </Link>
        <Settings />
        <button
          type="button"
          onClick={() => {
            close()
            onShowShortcuts()
          }}
        >
          <Icon name="info" />
          Keyboard shortcuts
        </button>
        <button type="button" onClick={onLogOut}>
          <Icon name="out" />
          Logout
        </button>
      </>
    )}
  </Popup>
)

/** Settings for this browser. They take effect immediately. */
function Settings() {
  const [theme, setTheme] = useState(readColorTheme)
  const [density, setDensity] = useState(readDensity)
  const [hasShortcuts, setHasShortcuts] = useState(areShortcutsOn)
  return (
    <>
      <Choice legend="Theme">
        {COLOR_THEMES.map((value) => (
          <label key={value}>
            <input
              type="radio"
              name="office-theme"
              checked={theme === value}
              onChange={() => {
                setTheme(value)
                chooseColorTheme(value)
              }}
            />
            {THEME_LABELS[value]}
          </label>
        ))}
      </Choice>
      <Choice legend="Rows">
        {DENSITIES.map((value) => (
          <label key={value}>
            <input
              type="radio"
              name="office-density"
              checked={density === value}
              onChange={() => {
                setDensity(value)
                chooseDensity(value)
              }}
            />
            {DENSITY_LABELS[value]}
          </label>
        ))}
      </Choice>
      <label className="onoff">
        <input
          type="checkbox"
          checked={hasShortcuts}
          onChange={({ target }) => {
            setHasShortcuts(target.checked)
            setShortcutsOn(target.checked)
          }}
        />
        Single-key shortcuts
      </label>
    </>
  )
}

const Choice = ({
  legend,
  children,
}: {
  readonly legend: string
  readonly children: ReactNode
}) => (
  <fieldset>
    <legend>{legend}</legend>
    {children}
  </fieldset>
)
