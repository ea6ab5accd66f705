/** What every page module is given. */
import type { PageData } from '../../engine/index.ts'

/** A page module draws itself from the data that the server wrote into the page. */
export type PageProps = { readonly page: PageData }
