/** Where the web app begins: reads what the server wrote into the page and draws the page it is. */
import { StrictMode } from 'react'
import type { ComponentType, ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { assertNever, dayOf, openOn, readInstant } from '../engine/index.ts'
import type { PageData, PublicEvent } from '../engine/index.ts'
import { sayWith } from './api.ts'
import { isLater, wayOf } from './event/way.ts'
import { Boundary } from './shared/boundary.tsx'
import { Broken } from './shared/broken.tsx'
import { Sprite } from './shared/icons.tsx'
import { watchLine } from './shared/line.ts'
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

/** The module that draws this page; which address shows which page is the server's to know. Each kind is a chunk of its own. */
async function choose(page: PageData): Promise<ComponentType<PageProps>> {
  switch (page.page) {
    case 'event': {
      const { event, now } = page.event
      const { default: Page } = !opensOn(event, now)
        ? await import('./event/closed.tsx')
        : sellsMore(event)
          ? await import('./event/selling.tsx')
          : await import('./event/index.tsx')
      return Page
    }
    case 'result':
      return (await import('./results/index.tsx')).default
    case 'pay':
      return (await import('./results/pay.tsx')).default
    case 'office':
      return (await import('./office/index.tsx')).default
    case 'site':
      return (await import('./site/index.tsx')).default
    case 'organisers':
      return (await import('./site/organisers/index.tsx')).default
    case 'not-found':
      return NotFound
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
    fields.some((field) => isLater(wayOf(field))) ||
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
    const Page = await choose(page)
    draw(
      <Boundary resetBy={page} otherwise={<Broken />}>
        <Page page={page} />
      </Boundary>,
    )
  } catch {
    // The data block was garbled on its way, or the page's own module could not be fetched.
    draw(<Broken />)
  }
}

watchLine()
const root = document.getElementById('root')
if (root) void start(root)
