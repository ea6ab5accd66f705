/** The page on which one registers for an event: its frame, its theme and the place where messages appear. */
import createCache from '@emotion/cache'
import type { EmotionCache } from '@emotion/cache'
import { CacheProvider } from '@emotion/react'
import { ThemeProvider } from '@mui/material/styles'
import { EventFooter, EventHeader } from '../ui/layout/event-header-footer.tsx'
import { MessageProvider } from '../ui/toast.tsx'
import type { PageProps } from '../app/page-props.ts'
import { PLAIN } from './form/form-extensions.ts'
import type { More } from './form/form-extensions.ts'
import { Registration } from './registration-flow.tsx'
import { useStill } from './form/scroll-anchoring.ts'
import { theme } from './form/mui-theme.ts'

/** The prefix of the classes that MUI makes. */
export const STYLES_KEY = 'r'

let ofPage: EmotionCache | null = null
/** Styles that MUI makes carry the page's nonce: the content policy lets no others in. Those that the server wrote are in it already. */
function stylesOfPage(): EmotionCache {
  if (ofPage === null) {
    const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content
    ofPage = createCache({ key: STYLES_KEY, ...(nonce ? { nonce } : {}) })
  }
  return ofPage
}

/** `styles`: where MUI's styles go; else into the page. */
export type EventPageProps = PageProps & { readonly styles?: EmotionCache }

/** Registration for one event: the form, the live price, the hand-off to the gateway. */
export function EventPage({ page, more, styles }: EventPageProps & { readonly more: More }) {
  useStill()
  if (page.page !== 'event') return null
  const { event } = page.event
  return (
    <CacheProvider value={styles ?? stylesOfPage()}>
      <ThemeProvider theme={theme()}>
        <MessageProvider as={event.form.notices} ms={event.form.noticeMs}>
          <EventHeader event={event} />
          <Registration page={page} more={more} />
          <EventFooter support={event.support} />
        </MessageProvider>
      </ThemeProvider>
    </CacheProvider>
  )
}

/** The page of an event that sells a registration and nothing else. */
export default function PlainPage(props: EventPageProps) {
  return <EventPage {...props} more={PLAIN} />
}
