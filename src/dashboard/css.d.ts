/** TypeScript 7 asks for it: what a stylesheet module gives. */
declare module '*.module.css' {
  const styles: Record<string, string>
  export default styles
}
declare module '*.css'
