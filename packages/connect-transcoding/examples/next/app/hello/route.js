export const GET = () => Response.json({ hello: "Next.js" });
