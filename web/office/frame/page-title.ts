/** Shares the title of a page's heading with the breadcrumb in the frame. */
import { createContext } from 'react'

type Page = {
  /** Called by the heading of each page: its title is the last breadcrumb. */
  readonly setTitle: (title: string) => void
  /** The event of the page, for the title of the browser tab. Null if the page does not belong to an event. */
  readonly eventTitle: string | null
}

export const PageContext = createContext<Page>({ setTitle: () => {}, eventTitle: null })
