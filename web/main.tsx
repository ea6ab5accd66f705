/** Where the web app begins: reads what the server wrote into the page and draws the page it is. */
import { StrictMode } from 'react'
import type { ComponentType } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter, Route, Routes } from 'react-router-dom'
import { assertNever, dayOf, openOn, readInstant } from '../engine/index.ts'
import type { PageData, PublicEvent } from '../engine/index.ts'
import { sayWith } from './api.ts'
import { Mark, Sprite } from './shared/icons.tsx'
import type { PageProps } from './shared/page.ts'
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

/** Paths this page answers, and the module that draws it. Each kind of page is a chunk of its own. */
async function choose(
  page: PageData,
): Promise<{ readonly paths: readonly string[]; readonly Page: ComponentType<PageProps> }> {
  switch (page.page) {
    case 'event': {
      const { event, now } = page.event
      const { routes } = event
      const { default: Page } = opensOn(event, now)
        ? await import('./event/index.tsx')
        : await import('./event/closed.tsx')
      return { paths: [routes.form, ...routes.also], Page }
    }
    case 'result': {
      const { routes } = page.event.event
      const { default: Page } = await import('./results/index.tsx')
      return { paths: [routes.success, routes.failed], Page }
    }
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

function NotFound() {
  return (
    <main className="wrap plain" id="main">
      <a className="mark" href="/">
        <Mark />
        Rollcall
      </a>
      <h1 className="disp">Page not found</h1>
      <p>There is nothing at this address. It may have been mistyped, or the page has moved.</p>
      <a className="btn" href="/">
        Go to Home
      </a>
    </main>
  )
}

async function start(root: HTMLElement): Promise<void> {
  const page = readPage() ?? { page: 'not-found', site: null, events: [] }
  if (page.page === 'event' || page.page === 'result') sayWith(page.event.event.texts.calls)
  // The server's shell stays on screen until the page's own chunk is here: nothing flashes, nothing moves.
  const { paths, Page } = await choose(page)
  createRoot(root).render(
    <StrictMode>
      <Sprite />
      <BrowserRouter>
        <Routes>
          {paths.map((path) => (
            <Route key={path} path={path} element={<Page page={page} />} />
          ))}
          <Route path="*" element={<NotFound />} />
        </Routes>
      </BrowserRouter>
    </StrictMode>,
  )
}

const root = document.getElementById('root')
if (root) void start(root)
