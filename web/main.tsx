/** Where the web app begins: reads what the server wrote into the page and draws the page it is. */
import { StrictMode } from 'react'
import type { ComponentType, ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter, Route, Routes, useLocation } from 'react-router-dom'
import { assertNever, dayOf, openOn, readInstant } from '../engine/index.ts'
import type { PageData, PublicEvent } from '../engine/index.ts'
import { sayWith, unexpectedText } from './api.ts'
import { Boundary } from './shared/boundary.tsx'
import { Sprite } from './shared/icons.tsx'
import type { PageProps } from './shared/page.ts'
import { Plain } from './shared/plain.tsx'
import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/header.css'
import './styles/ledger.css'
import './site/shell.css'

/** The data block of the page; null where the HTML did not come from our server. */
function readPage(): PageData | null {
  const text = document.getElementById('page')?.textContent
  return text ? (JSON.parse(text) as PageData) : null
}

type Chosen = { readonly paths: readonly string[]; readonly Page: ComponentType<PageProps> }

/** Paths this page answers, and the module that draws it. Each kind of page is a chunk of its own. */
async function choose(page: PageData): Promise<Chosen> {
  switch (page.page) {
    case 'event': {
      const { event, now } = page.event
      const { routes } = event
      const { default: Page } = !opensOn(event, now)
        ? await import('./event/closed.tsx')
        : sellsMore(event)
          ? await import('./event/selling.tsx')
          : await import('./event/index.tsx')
      return { paths: [routes.form, ...routes.also], Page }
    }
    case 'result': {
      const { routes } = page.event.event
      const { default: Page } = await import('./results/index.tsx')
      return { paths: [routes.success, routes.failed], Page }
    }
    case 'pay':
      return { paths: ['/pay/:token'], Page: (await import('./results/pay.tsx')).default }
    case 'office':
      return { paths: ['/admin/*'], Page: (await import('./office/index.tsx')).default }
    case 'site':
      return { paths: ['/'], Page: (await import('./site/index.tsx')).default }
    case 'organisers':
      return { paths: ['/organisers'], Page: (await import('./site/organisers/index.tsx')).default }
    case 'not-found':
      return { paths: [], Page: NotFound }
    default:
      return assertNever(page)
  }
}

/** Whether one can register on the day of the server's clock; a day it cannot say is the form's to judge. */
function opensOn(event: PublicEvent, now: string): boolean {
  const at = readInstant(now)
  return at === null || openOn(event, dayOf(at)).open
}

/** Whether the form needs what only events with a bill, with lists or with pages need (event/more.ts). */
function sellsMore({ fees, limits, codeKinds, rolls, fields, form }: PublicEvent): boolean {
  return (
    [fees.items, fees.adjustments, limits, codeKinds, rolls].some(({ length }) => length > 0) ||
    fields.some(({ type }) => ['many', 'people', 'consent'].includes(type)) ||
    form.pages !== 'one'
  )
}

function NotFound() {
  return (
    <Plain title="Page not found">
      <p>There is nothing at this address. It may have been mistyped, or the page has moved.</p>
      <a className="btn" href="/">
        Go to Home
      </a>
    </Plain>
  )
}

/** In place of a page that cannot be drawn. Nothing is known of what was being done, so nothing is said of it. */
function Broken() {
  return (
    <Plain title={unexpectedText()}>
      <p role="alert">This page could not be shown. Please try loading it again.</p>
      <p className="acts">
        <button type="button" className="btn" onClick={() => location.reload()}>
          Load again
        </button>
        <a className="btn line" href="/">
          Go to Home
        </a>
      </p>
    </Plain>
  )
}

function Pages({ page, paths, Page }: { readonly page: PageData } & Chosen) {
  const { key } = useLocation()
  return (
    <Boundary resetBy={key} otherwise={<Broken />}>
      <Routes>
        {paths.map((path) => (
          <Route key={path} path={path} element={<Page page={page} />} />
        ))}
        <Route path="*" element={<NotFound />} />
      </Routes>
    </Boundary>
  )
}

async function start(root: HTMLElement): Promise<void> {
  const draw = (whole: ReactNode) =>
    createRoot(root).render(
      <StrictMode>
        <Sprite />
        {whole}
      </StrictMode>,
    )
  try {
    const page = readPage() ?? { page: 'not-found', site: null, events: [] }
    const event = 'event' in page ? page.event : null
    if (event !== null) sayWith(event.event.texts.calls)
    // The server's shell stays on screen until the page's own chunk is here: nothing flashes, nothing moves.
    const chosen = await choose(page)
    draw(
      <BrowserRouter>
        <Pages page={page} {...chosen} />
      </BrowserRouter>,
    )
  } catch {
    // The data block was garbled on its way, or the page's own module could not be fetched.
    draw(<Broken />)
  }
}

const root = document.getElementById('root')
if (root) void start(root)
