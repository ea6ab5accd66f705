/** The tabs for the file and its previews. */
import { useRef } from 'react'
import type { KeyboardEvent } from 'react'

const TAB_LABELS = {
  file: 'File',
  form: 'Form',
  price: 'Price',
  results: 'Result pages',
  findings: 'Findings',
  changes: 'Changes',
  examples: 'Examples',
  rehearsal: 'Rehearsal',
} as const
export type Tab = keyof typeof TAB_LABELS

type TabListProps = {
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly selectedTab: Tab
  readonly onSelect: (tab: Tab) => void
  /** The number of findings that need a change. Notes are not counted. */
  readonly problems: number
  readonly hasErrors: boolean
}

/** Shows the tabs. Arrow keys move between them; Tab moves to the panel. */
export function TabList({
  label,
  tabs: shownTabs,
  selectedTab,
  onSelect,
  problems,
  hasErrors,
}: TabListProps) {
  const list = useRef<HTMLDivElement>(null)
  const moveFocus = (event: KeyboardEvent) => {
    const currentIndex = shownTabs.indexOf(selectedTab)
    const targetIndex = {
      ArrowRight: currentIndex + 1,
      ArrowLeft: currentIndex - 1,
      Home: 0,
      End: shownTabs.length - 1,
    }[event.key]
    if (targetIndex === undefined) return
    event.preventDefault()
    const next = shownTabs[(targetIndex + shownTabs.length) % shownTabs.length]
    if (next === undefined) return
    onSelect(next)
    list.current?.querySelector<HTMLElement>(`#org-tab-${next}`)?.focus()
  }
  return (
    <div className="org-tabs" role="tablist" aria-label={label} ref={list}>
      {shownTabs.map((tab) => (
        <button
          key={tab}
          type="button"
          role="tab"
          id={`org-tab-${tab}`}
          aria-selected={tab === selectedTab}
          {...(tab === selectedTab ? { 'aria-controls': `org-panel-${tab}` } : {})}
          tabIndex={tab === selectedTab ? 0 : -1}
          onClick={() => onSelect(tab)}
          onKeyDown={moveFocus}
        >
          {TAB_LABELS[tab]}
          {tab === 'findings' && problems > 0 && (
            <span className={hasErrors ? 'org-count bad' : 'org-count'}>{problems}</span>
          )}
        </button>
      ))}
    </div>
  )
}
