import { Component, lazy, Suspense, useCallback, useEffect, useId, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import type { CSSProperties, KeyboardEvent, ReactNode } from 'react'
import { dayOf, lookOf, readInstant } from '../../../engine/index.ts'
import type { EventConfig, EventFileAnswer, PageData, Site } from '../../../engine/index.ts'
import { call, save } from '../../api.ts'
import type { PageProps } from '../../main.tsx'
import { Dialog } from '../../shared/dialog.tsx'
import { Icon } from '../../shared/icons.tsx'
import { Badge } from '../../shared/status.tsx'
import { SiteFooter, SiteHeader } from '../frame.tsx'
import { keepDraft, recallDraft, useChecking } from './draft.ts'
import type { Checking, Opened } from './draft.ts'
import { Editor } from './editor.tsx'
import type { EditorHandle } from './editor.tsx'
import { Examples, Findings } from './findings.tsx'
import { Price } from './price.tsx'
import { startOf, Trying } from './trying.tsx'
import type { Try } from './trying.tsx'
import '../landing.css'
import './organisers.css'

const Form = lazy(() => import('./form.tsx'))
const Results = lazy(() => import('./results.tsx'))

type OrganisersData = Extract<PageData, { page: 'organisers' }>
const isSite = (site: unknown): site is Site => typeof site === 'object' && site !== null && 'organisers' in site

/** Where Create Event leads: the real file of a conference, to be changed at will, and beside it what it becomes. */
export default function OrganisersPage({ page }: PageProps) {
  if (page.page !== 'organisers' || !isSite(page.site)) return null
  const texts = page.site.organisers
  return (
    <div className="site">
      <SiteHeader site={page.site} />
      <main id="main">
        <div className="wrap org-top">
          <h1 className="disp">{texts.title}</h1>
          <p className="lead">{texts.text}</p>
        </div>
        {page.shared !== null && page.sample !== null && <Workshop page={page} shared={page.shared} sample={page.sample} texts={texts} />}
        <div className="wrap"><ol className="org-steps">{texts.steps.map((step) => <li key={step}>{step}</li>)}</ol></div>
      </main>
      <SiteFooter site={page.site} />
    </div>
  )
}

const tabs = { file: 'File', form: 'Form', price: 'Price', results: 'Result pages', findings: 'Findings', examples: 'Examples' } as const
type Tab = keyof typeof tabs

const wideQuery = matchMedia('(min-width: 1024px)')
/** File and what it becomes side by side; below that the file is the first of the tabs. */
const useSideBySide = (): boolean =>
  useSyncExternalStore((changed) => {
    wideQuery.addEventListener('change', changed)
    return () => wideQuery.removeEventListener('change', changed)
  }, () => wideQuery.matches)

type WorkshopProps = { readonly page: OrganisersData; readonly shared: NonNullable<OrganisersData['shared']>; readonly sample: NonNullable<OrganisersData['sample']>; readonly texts: Site['organisers'] }

function Workshop({ page, shared, sample, texts }: WorkshopProps) {
  const [opened, setOpened] = useState<Opened>(() => ({ ...(recallDraft() ?? sample), edition: 0 }))
  const [text, setText] = useState(opened.text)
  const [asking, setAsking] = useState<Omit<Opened, 'edition'> | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const otherRoutes = useMemo(() => page.events.flatMap(({ routes }) => [routes.form, ...routes.also]), [page.events])
  const checking = useChecking(text, opened.path, shared, otherRoutes)
  const editor = useRef<EditorHandle>(null)
  const wide = useSideBySide()
  const [chosen, setChosen] = useState<Tab>(wide ? 'form' : 'file')
  const tab = wide && chosen === 'file' ? 'form' : chosen
  const today = useMemo(() => readInstant(page.now), [page.now])
  const [tried, setTried] = useState<Try | null>(null)
  const { event } = checking
  const trying = useMemo(() => (tried ?? (event === null || today === null ? null : startOf(event, dayOf(today)))), [tried, event, today])

  const edited = text !== opened.text
  useEffect(() => keepDraft(text === sample.text ? null : { path: opened.path, text }), [text, opened.path, sample.text])

  const open = useCallback((file: Omit<Opened, 'edition'>) => {
    setOpened((old) => ({ ...file, edition: old.edition + 1 }))
    setText(file.text)
    setTried(null)
    setAsking(null)
    setProblem(null)
  }, [])
  /** Edits are never thrown away unasked. */
  const offer = (file: Omit<Opened, 'edition'>) => (edited ? setAsking(file) : open(file))
  const fromDisk = async (file: File | undefined) => {
    if (file !== undefined) offer({ path: file.name, text: (await file.text()).replaceAll('\r\n', '\n') })
  }
  const fromServer = async (id: string) => {
    const answer = await call<EventFileAnswer>(`/api/events/${encodeURIComponent(id)}/file/`)
    if (answer.ok) offer({ path: answer.value.path, text: answer.value.text })
    else setProblem(answer.error.message)
  }
  const goTo = useCallback((line: number, column?: number) => {
    setChosen((old) => (wide ? old : 'file'))
    // The editor may just be coming back into view.
    requestAnimationFrame(() => editor.current?.goTo(line, column))
  }, [wide])
  const mend = (from: number, to: number, by: string) => editor.current?.replace(from, to, by)

  const file = (
    <Editor key={opened.edition} ref={editor} label={texts.file} text={text} change={setText} findings={checking.checked?.findings ?? []} findingsOf={checking.checked?.text ?? null} />
  )
  const shown: Readonly<Record<Exclude<Tab, 'file'>, ReactNode>> = {
    form: event && trying && <Form title={texts.form} event={event} trying={trying} />,
    price: event && trying && <Price title={texts.prices} event={event} trying={trying} lines={checking.checked?.lines ?? null} goTo={goTo} />,
    results: event && trying && <Results event={event} trying={trying} />,
    findings: <Findings findings={checking.checked?.findings ?? []} path={opened.path} goTo={goTo} mend={checking.checked?.text === text ? mend : null} />,
    examples: <Examples title={texts.examples} checked={checking.checked} goTo={goTo} />,
  }
  const needsTry = tab === 'form' || tab === 'price' || tab === 'results'
  return (
    <div className="org">
      <Bar path={opened.path} checking={checking} edited={edited} events={page.events} fromDisk={(chosenFile) => void fromDisk(chosenFile)} fromServer={(id) => void fromServer(id)} save={() => save(new Blob([text], { type: 'text/yaml;charset=utf-8' }), nameOf(opened.path))} />
      {problem !== null && <p className="org-problem" role="alert"><Icon name="bang" />{problem}</p>}
      <div className="org-split">
        {wide && <section className="org-left" aria-label={texts.file}>{file}</section>}
        <div className="org-right">
          <TabList label={texts.becomes} tabs={wide ? (['form', 'price', 'results', 'findings', 'examples'] as const) : (['file', 'form', 'price', 'results', 'findings', 'examples'] as const)} chosen={tab} choose={setChosen} count={countOf(checking)} />
          {!wide && <div className="org-panel" role="tabpanel" id="org-panel-file" aria-labelledby="org-tab-file" hidden={tab !== 'file'}>{file}</div>}
          {tab !== 'file' && (
            <div className="org-panel" role="tabpanel" id={`org-panel-${tab}`} aria-labelledby={`org-tab-${tab}`} style={event === null ? {} : lookStyle(event)}>
              {checking.checked !== null && needsTry && <Stale checking={checking} />}
              {needsTry && event && trying && <Trying event={event} trying={trying} change={setTried} answers={tab !== 'form'} />}
              <Guarded key={tab} resetBy={checking.checked}>
                <Suspense fallback={<p className="org-wait" role="status"><span className="spin" aria-hidden="true" />Loading</p>}>{shown[tab]}</Suspense>
              </Guarded>
            </div>
          )}
        </div>
      </div>
      {asking !== null && (
        <Dialog title="Leave your changes?" onClose={() => setAsking(null)}>
          <p>{nameOf(opened.path)} has changes that are not saved on your computer. {nameOf(asking.path)} would take its place.</p>
          <div className="acts">
            <button type="button" className="btn" onClick={() => setAsking(null)}>Keep my changes</button>
            <button type="button" className="btn line" onClick={() => open(asking)}>Open {nameOf(asking.path)}</button>
          </div>
        </Dialog>
      )}
    </div>
  )
}

const nameOf = (path: string): string => path.split('/').at(-1) ?? path

/** The event's colours for what is drawn as its page; the page around it keeps the house's. */
function lookStyle(event: EventConfig): CSSProperties {
  try {
    const { band, onBand, accent, tint, line } = lookOf(event.look.colour)
    return { '--band': band, '--on-band': onBand, '--accent': accent, '--accent-tint': tint, '--accent-line': line } as CSSProperties
  } catch {
    // A colour that is none is a finding; the house's own stands in.
    return {}
  }
}

const plural = (many: number, word: string): string => `${many} ${word}${many === 1 ? '' : 's'}`

function countOf({ checked }: Checking): Partial<Record<Tab, number>> {
  const many = checked?.findings.length ?? 0
  return many === 0 ? {} : { findings: many }
}

type BarProps = {
  readonly path: string
  readonly checking: Checking
  readonly edited: boolean
  readonly events: OrganisersData['events']
  readonly fromDisk: (file: File | undefined) => void
  readonly fromServer: (id: string) => void
  readonly save: () => void
}

function Bar({ path, checking, edited, events, fromDisk, fromServer, save: keep }: BarProps) {
  const input = useRef<HTMLInputElement>(null)
  const select = useId()
  const { checked, stuck } = checking
  const count = (severity: string) => checked?.findings.filter((finding) => finding.severity === severity).length ?? 0
  const [errors, warnings] = [count('error'), count('warning')]
  const failing = checked?.examples.filter(({ failures }) => failures.length > 0).length ?? 0
  const passing = (checked?.examples.length ?? 0) - failing
  return (
    <div className="org-bar">
      <p className="org-name"><b>{nameOf(path)}</b>{edited && <span className="mute"> (changed)</span>}</p>
      <p className="org-state" role="status">
        {checked === null && !stuck && <span className="mute">Reading the file</span>}
        {stuck && <Badge tone="care" icon="tri">This text takes too long to check</Badge>}
        {errors > 0 && <Badge tone="bad" icon="bang">{plural(errors, 'error')}</Badge>}
        {warnings > 0 && <Badge tone="care" icon="tri">{plural(warnings, 'warning')}</Badge>}
        {failing > 0 && <Badge tone="bad" icon="cross">{`${plural(failing, 'example')} ${failing === 1 ? 'fails' : 'fail'}`}</Badge>}
        {passing > 0 && <Badge tone="good" icon="tick">{`${plural(passing, 'example')} ${passing === 1 ? 'passes' : 'pass'}`}</Badge>}
      </p>
      <div className="org-acts">
        <label className="vh" htmlFor={select}>Start from a conference of this server</label>
        <select id={select} className="org-pick" value="" onChange={(event) => fromServer(event.target.value)}>
          <option value="" disabled>Start from …</option>
          {events.map((event) => <option key={event.id} value={event.id}>{event.title}</option>)}
        </select>
        <input ref={input} type="file" accept=".yaml,.yml" hidden aria-label="Event file" onChange={(event) => { fromDisk(event.target.files?.[0]); event.target.value = '' }} />
        <button type="button" className="btn line sm" onClick={() => input.current?.click()}><Icon name="file" />Open a file</button>
        <button type="button" className="btn sm" onClick={keep}><Icon name="down" />Save file</button>
      </div>
    </div>
  )
}

/** Says when what is shown is not what the file says now. */
function Stale({ checking }: { readonly checking: Checking }) {
  const { checked, event } = checking
  if (checked === null || checked.event !== null) return null
  return <p className="org-stale"><Icon name="tri" />{event === null ? 'This file cannot be read as an event yet. See Findings.' : 'The file cannot be read as it is now. This is what it said before; see Findings.'}</p>
}

type TabListProps = { readonly label: string; readonly tabs: readonly Tab[]; readonly chosen: Tab; readonly choose: (tab: Tab) => void; readonly count: Partial<Record<Tab, number>> }

/** Arrow keys move between the tabs, Tab leaves them for the panel. */
function TabList({ label, tabs: offered, chosen, choose, count }: TabListProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // Sideways only: the page stays where it is.
    const tab = list.current?.querySelector<HTMLElement>(`#org-tab-${chosen}`)
    if (tab && list.current) list.current.scrollLeft = tab.offsetLeft - (list.current.clientWidth - tab.offsetWidth) / 2
  }, [chosen])
  const move = (event: KeyboardEvent) => {
    const here = offered.indexOf(chosen)
    const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: offered.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    const next = offered[(to + offered.length) % offered.length]
    if (next === undefined) return
    choose(next)
    list.current?.querySelector<HTMLElement>(`#org-tab-${next}`)?.focus()
  }
  return (
    <div className="org-tabs" role="tablist" aria-label={label} ref={list}>
      {offered.map((tab) => (
        <button key={tab} type="button" role="tab" id={`org-tab-${tab}`} aria-selected={tab === chosen} {...(tab === chosen || tab === 'file' ? { 'aria-controls': `org-panel-${tab}` } : {})} tabIndex={tab === chosen ? 0 : -1} onClick={() => choose(tab)} onKeyDown={move}>
          {tabs[tab]}{count[tab] !== undefined && <span className="org-count">{count[tab]}</span>}
        </button>
      ))}
    </div>
  )
}

type GuardedProps = { readonly resetBy: unknown; readonly children: ReactNode }
type GuardedState = { readonly broken: boolean; readonly of: unknown }

/** An event with errors may ask for what cannot be drawn: then its place says so, and the editor stays. */
class Guarded extends Component<GuardedProps, GuardedState> {
  override state: GuardedState = { broken: false, of: this.props.resetBy }
  static getDerivedStateFromError(): Partial<GuardedState> {
    return { broken: true }
  }
  static getDerivedStateFromProps(props: GuardedProps, state: GuardedState): Partial<GuardedState> | null {
    return props.resetBy === state.of ? null : { broken: false, of: props.resetBy }
  }
  override render(): ReactNode {
    return this.state.broken ? <p className="org-stale"><Icon name="tri" />This cannot be drawn while the file has its errors. See Findings.</p> : this.props.children
  }
}
