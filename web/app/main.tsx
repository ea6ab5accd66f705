/** Where the web app begins: reads what the server wrote into the page and draws the page it is. */
import { startTransition } from 'react'
import type { ComponentType } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { assertNever } from '../../engine/index.ts'
import type { PageData } from '../../engine/index.ts'
import { sayWith } from './api-client.ts'
import { kindOf } from '../registration/event-page-kind.ts'
import { Boundary } from './error-boundary.tsx'
import { watchDates } from '../ui/forms/empty-date-style.ts'
import { Broken } from './error-page.tsx'
import { watchLine } from '../ui/layout/offline-notice.ts'
import { goLive } from './hydration-state.ts'
import type { PageProps } from './page-props.ts'
import { Plain } from '../ui/layout/standalone-page.tsx'
import { Whole } from './app-root.tsx'

/** The data block of the page; null where the HTML did not come from our server. */
function readPage(): PageData | null {
  const text = document.getElementById('page')?.textContent
  const page = text ? (JSON.parse(text) as PageData) : null
  // While one edits, what the server drew is older than the sources.
  return import.meta.env.DEV && page?.page === 'event' ? { ...page, drawn: false } : page
}

/** The module that draws this page; which address shows which page is the server's to know. Each kind is a chunk of its own. */
async function choose(page: PageData): Promise<ComponentType<PageProps>> {
  switch (page.page) {
    case 'event': {
      const kind = kindOf(page.event)
      return kind === 'closed'
        ? (await import('../registration/closed-page.tsx')).default
        : kind === 'selling'
          ? (await import('../registration/extended-registration-page.tsx')).default
          : (await import('../registration/registration-page.tsx')).default
    }
    case 'result':
      return (await import('../results/result-page.tsx')).default
    case 'my':
      return (await import('../self-service/self-service-page.tsx')).default
    case 'office':
      return (await import('../office/office-router.tsx')).default
    case 'site':
      return (await import('../landing/landing-page.tsx')).default
    case 'organisers':
      return (await import('../organisers/organisers-page.tsx')).default
    case 'not-found':
      return NotFound
    default:
      return assertNever(page)
  }
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

/** Draws the page, or takes over what the server has drawn of it. */
function show(root: HTMLElement, page: PageData, Page: ComponentType<PageProps>): void {
  const whole = (
    <Whole>
      <Boundary resetBy={page} otherwise={<Broken />}>
        <Page page={page} />
      </Boundary>
    </Whole>
  )
  // As a transition it is done in pieces, between which the page answers to whoever types already.
  if ('drawn' in page && page.drawn) startTransition(() => void hydrateRoot(root, whole))
  else {
    goLive()
    createRoot(root).render(whole)
  }
}

async function start(root: HTMLElement): Promise<void> {
  try {
    const page = readPage() ?? { page: 'not-found', site: null, events: [] }
    const event = 'event' in page ? page.event : null
    if (event !== null) sayWith(event.event.texts.calls)
    // What the server wrote stays on screen until the page's own chunk is here: nothing flashes, nothing moves.
    show(root, page, await choose(page))
  } catch {
    // The data block was garbled on its way, or the page's own module could not be fetched.
    createRoot(root).render(
      <Whole>
        <Broken />
      </Whole>,
    )
  }
}

watchDates()
watchLine()
const root = document.getElementById('root')
if (root) void start(root)
