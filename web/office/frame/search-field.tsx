/** The search field in the top bar, which finds registrations, pages and actions while the user types. */
import { useEffect, useId, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router-dom'
import type { SessionResponse, WireSearchResult } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import type { IconName } from '../../ui/icons-and-logo.tsx'
import { useSignInOn401 } from '../expired-session.ts'
import { buildAddRegistrationUrl } from '../office-api-and-urls.ts'
import {
  listEventLinks,
  listEventsForNewRegistrations,
  listSharedLinks,
} from '../office-pages-and-roles.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'
import { RegNumber, RegistrationStatus } from '../ui/error-banner-and-heading.tsx'
import { Highlighted, describePayment, buildResultUrl, useSearch } from './search-results.tsx'
import { SEARCH_HINT, describeResults, buildSearchUrl } from './search-page.tsx'
import { useInertPage } from './use-inert-page.ts'
import './search-field.css'

/** Maximum number of registrations. The search page shows more. */
const MAX_RESULTS = 8
const MAX_PAGES = 6

type Option = {
  readonly id: string
  readonly content: ReactNode
  /** The URL that Enter or a click opens. */
  readonly to: string
  readonly state?: { readonly from: string }
}
type Group = { readonly label: string; readonly options: readonly Option[] }

/**
 * Shows a combobox: the focus stays in the field, arrow keys choose an option, and Enter opens it. The first option is
 * preselected, so that typing a name and pressing Enter opens the registration. The list opens on a click, a shortcut
 * or a key, but not when Tab reaches the field, because an open list makes the page inert.
 */
export function SearchField({
  session,
  inputRef,
}: {
  readonly session: SessionResponse
  readonly inputRef: React.RefObject<HTMLInputElement | null>
}) {
  const navigate = useNavigate()
  const [typedText, setTypedText] = useState('')
  const [isOpen, setOpen] = useState(false)
  /** Null until an arrow key chooses an option, which stays chosen when results appear above it. */
  const [chosenId, setChosenId] = useState<string | null>(null)
  /** Whether Enter was pressed before the results for this text arrived. */
  const [isOpenPending, setOpenPending] = useState(false)
  const { query, text, isCurrent } = useSearch(typedText)
  useSignInOn401(query.error)
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const box = useRef<HTMLDivElement>(null)

  const searchText = typedText.trim()
  const data = text.length > 1 && searchText.length > 1 ? query.data : undefined
  const results = data === undefined ? [] : data.found.length > 0 ? data.found : data.similar
  const groups: readonly Group[] = [
    { label: 'Registrations', options: results.slice(0, MAX_RESULTS).map(toOption(text)) },
    { label: 'Pages', options: findPages(session, searchText) },
    { label: 'Actions', options: findActions(session, searchText) },
    {
      label: 'More',
      options:
        searchText.length < 2
          ? []
          : [
              {
                id: 'all',
                to: buildSearchUrl(searchText),
                content: (
                  <>
                    <Icon name="search" small />
                    <span>{`All results for “${searchText}”`}</span>
                  </>
                ),
              },
            ],
    },
  ].filter(({ options }) => options.length > 0)
  const options = groups.flatMap((group) => group.options)
  const isListOpen = isOpen && options.length > 0
  useInertPage(box, isListOpen)
  // If the field is empty, no option is chosen, so that Enter does not open an arbitrary page.
  const chosenIndex = options.findIndex(({ id }) => id === chosenId)
  const firstIndex = searchText.length < 2 || options.length === 0 ? -1 : 0
  const activeIndex = chosenIndex === -1 ? firstIndex : chosenIndex
  const activeOption = options[activeIndex]
  const close = (): void => {
    setOpen(false)
    setTypedText('')
    setChosenId(null)
    setOpenPending(false)
  }
  const openOption = ({ to, state }: Option): void => {
    close()
    inputRef.current?.blur()
    void navigate(to, { state })
  }
  useEffect(() => {
    if (isOpenPending && (isCurrent || searchText.length < 2) && activeOption !== undefined)
      openOption(activeOption)
  })
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [activeOption?.id])
  return (
    <div
      className="find"
      ref={box}
      {...(isListOpen
        ? { role: 'dialog', 'aria-modal': true, 'aria-label': 'Search' }
        : { role: 'search' })}
      onBlur={({ relatedTarget, currentTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setOpen(false)
      }}
    >
      <Icon name="search" small />
      <input
        ref={inputRef}
        type="text"
        role="combobox"
        aria-label="Find people, pages and actions"
        placeholder={SEARCH_HINT}
        aria-autocomplete="list"
        aria-expanded={isListOpen}
        aria-controls={listId}
        {...(isOpen &&
          activeOption !== undefined && {
            'aria-activedescendant': `${listId}-${activeOption.id}`,
          })}
        aria-keyshortcuts="/ Control+K"
        maxLength={100}
        autoComplete="off"
        spellCheck={false}
        value={typedText}
        onClick={() => setOpen(true)}
        onChange={({ target }) => {
          setTypedText(target.value)
          setChosenId(null)
          setOpenPending(false)
          setOpen(true)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            if (typedText === '' && !isOpen) event.currentTarget.blur()
            close()
          } else if (event.key === 'Tab') {
            setOpen(false)
          } else if (event.key === 'Enter') {
            event.preventDefault()
            setOpenPending(true)
          } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault()
            setOpen(true)
            const step = event.key === 'ArrowDown' ? 1 : -1
            const nextIndex = Math.max(activeIndex, step === 1 ? -1 : 0) + step
            setChosenId(
              options[(nextIndex + options.length) % Math.max(1, options.length)]?.id ?? null,
            )
          }
        }}
      />
      <kbd aria-hidden="true">/</kbd>
      <div className="find-list" hidden={!isListOpen}>
        <div id={listId} role="listbox" aria-label="Results" ref={list}>
          {groups.map(({ label, options: groupOptions }) => (
            <div key={label} role="group" aria-label={label}>
              <p className="grp" aria-hidden="true">
                {label}
              </p>
              {groupOptions.map((option) => (
                // The field handles keys, because it keeps focus.
                // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
                <div
                  key={option.id}
                  id={`${listId}-${option.id}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={option === activeOption}
                  onPointerDown={(event) => event.preventDefault()}
                  onClick={() => openOption(option)}
                >
                  {option.content}
                </div>
              ))}
            </div>
          ))}
        </div>
      </div>
      <p role="status" className="vh">
        {isOpen && data !== undefined && isCurrent ? describeResults(data) : ''}
      </p>
    </div>
  )
}

const toOption =
  (text: string) =>
  (result: WireSearchResult): Option => ({
    id: result.reg_no,
    to: buildResultUrl(result),
    state: { from: buildSearchUrl(text) },
    content: (
      <>
        <span className="find-person">
          <b>
            <Highlighted text={result.name} search={text} />
          </b>{' '}
          <small>
            <RegNumber text={result.reg_no} />
            {' · '}
            <Highlighted
              text={[result.phone, result.city, result.event.title].filter(Boolean).join(' · ')}
              search={text}
            />
          </small>
        </span>
        <span className="find-state">
          <RegistrationStatus
            registration={result}
            due={result.due}
            currency={readResponseCurrency(result)}
          />
          {describePayment(result) !== null && <small>{describePayment(result)}</small>}
        </span>
      </>
    ),
  })

const isMatch = (label: string, searchText: string): boolean =>
  searchText
    .toLowerCase()
    .split(/\s+/)
    .every((word) => label.toLowerCase().includes(word))

const toLinkOption = (id: string, to: string, label: string, icon: IconName): Option => ({
  id,
  to,
  content: (
    <>
      <Icon name={icon} small />
      <span>{label}</span>
    </>
  ),
})

/** Finds pages by their name or by the title of their event. */
function findPages(session: SessionResponse, searchText: string): readonly Option[] {
  const sharedPages = [
    ...listSharedLinks(session, 'events'),
    ...listSharedLinks(session, 'organisation'),
  ].map((link) => ({ ...link, label: link.label }))
  const eventPages = session.events.flatMap((event) =>
    listEventLinks(session, event).map((link) => ({
      ...link,
      label: `${event.title}: ${link.label}`,
    })),
  )
  return [...sharedPages, ...eventPages]
    .filter(({ label }) => isMatch(label, searchText))
    .slice(0, MAX_PAGES)
    .map(({ to, label, icon }) => toLinkOption(`page-${to}`, to, label, icon))
}

const findActions = (session: SessionResponse, searchText: string): readonly Option[] =>
  listEventsForNewRegistrations(session)
    .map((event) => ({ event, label: `Add registration: ${event.title}` }))
    .filter(({ label }) => isMatch(label, searchText))
    .map(({ event, label }) =>
      toLinkOption(`add-${event.id}`, buildAddRegistrationUrl(event), label, 'plus'),
    )
