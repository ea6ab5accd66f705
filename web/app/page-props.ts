/** The props of every page module. */
import type { PageData } from '../../engine/api.ts'

/** A page module renders the data that the server wrote into the page. */
export type PageProps = { readonly page: PageData }
