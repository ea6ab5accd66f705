/** The page on which one registers for an event: its frame, its theme and the place where messages appear. */
import createCache from '@emotion/cache'
import { CacheProvider } from '@emotion/react'
import { ThemeProvider } from '@mui/material/styles'
import { EventFooter, EventHeader, wear } from '../shared/frame.tsx'
import { MessageProvider } from '../shared/messages.tsx'
import type { PageProps } from '../shared/page.ts'
import { PLAIN } from './more.ts'
import type { More } from './more.ts'
import { Registration } from './registration.tsx'
import { theme } from './theme.ts'

/** Styles that MUI makes carry the page's nonce: the content policy lets no others in. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content
const cache = createCache({ key: 'r', ...(nonce ? { nonce } : {}) })

/** Registration for one event: the form, the live price, the hand-off to the gateway. */
export function EventPage({ page, more }: PageProps & { readonly more: More }) {
  if (page.page !== 'event') return null
  const { event } = page.event
  wear(event.look.colour)
  return (
    <CacheProvider value={cache}>
      <ThemeProvider theme={theme}>
        <MessageProvider as={event.form.notices} ms={event.form.noticeMs}>
          <EventHeader event={event} />
          <Registration page={page.event} more={more} />
          <EventFooter support={event.support} />
        </MessageProvider>
      </ThemeProvider>
    </CacheProvider>
  )
}

/** The page of an event that sells a registration and nothing else. */
export default function PlainPage(props: PageProps) {
  return <EventPage {...props} more={PLAIN} />
}
