/** The entry point of the web app: reads the page data and renders the page. */
import { startTransition } from 'react'
import type { ComponentType } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { assertNever } from '../../engine/index.ts'
import { COMMON_MESSAGES } from '../../engine/messages.ts'
import type { PageData } from '../../engine/api.ts'
import { setCallTexts } from './api-client.ts'
import { choosePageKind } from '../registration/event-page-kind.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { updateDateAttributes } from '../ui/forms/empty-date-style.ts'
import { ErrorPage } from './error-page.tsx'
import { showOfflineNotice } from '../ui/layout/offline-notice.ts'
import { markHydrated } from './hydration-state.ts'
import type { PageProps } from './page-props.ts'
import { StandalonePage } from '../ui/layout/standalone-page.tsx'
import { AppRoot } from './app-root.tsx'

/** Returns the page data, or null if the HTML did not come from our server. */
function readPage(): PageData | null {
  const text = document.getElementById('page')?.textContent
  const page = text ? (JSON.parse(text) as PageData) : null
  // In development, the server's rendering may be older than the sources.
  return import.meta.env.DEV && page?.page === 'event' ? { ...page, drawn: false } : page
}

/**
 * Loads the module that renders this page. The server decides which URL shows which page; each kind of page is a
 * separate chunk.
 */
async function loadPageModule(page: PageData): Promise<ComponentType<PageProps>> {
  switch (page.page) {
    case 'event': {
      const kind = choosePageKind(page.event)
      return kind === 'closed'
        ? (await import('../registration/closed-page.tsx')).default
        : kind === 'selling'
          ? (await import('../registration/registration-page-with-items-and-codes.tsx')).default
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
    <StandalonePage title={COMMON_MESSAGES.notFound.title}>
      <p>{COMMON_MESSAGES.notFound.explanation}</p>
      <a className="btn" href="/">
        {COMMON_MESSAGES.home}
      </a>
    </StandalonePage>
  )
}

/** Renders the page, or hydrates the server's rendering. */
function renderPage(root: HTMLElement, page: PageData, Page: ComponentType<PageProps>): void {
  const app = (
    <AppRoot>
      <ErrorBoundary resetKey={page} fallback={<ErrorPage />}>
        <Page page={page} />
      </ErrorBoundary>
    </AppRoot>
  )
  // A transition hydrates in chunks, so that the page responds to typing between the chunks.
  if ('drawn' in page && page.drawn) startTransition(() => void hydrateRoot(root, app))
  else {
    markHydrated()
    createRoot(root).render(app)
  }
}

async function start(root: HTMLElement): Promise<void> {
  try {
    const page = readPage() ?? { page: 'not-found', site: null, events: [] }
    const event = 'event' in page ? page.event : null
    if (event !== null) setCallTexts(event.event.texts.calls)
    // The server's content stays visible until the page's chunk has loaded, so that nothing
    // flickers or moves.
    renderPage(root, page, await loadPageModule(page))
  } catch {
    // The page data is damaged, or the page's module could not be loaded.
    createRoot(root).render(
      <AppRoot>
        <ErrorPage />
      </AppRoot>,
    )
  }
}

updateDateAttributes()
showOfflineNotice()
const root = document.getElementById('root')
if (root) void start(root)
