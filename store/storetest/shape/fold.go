package shape

import (
	"go/ast"
	"strconv"
	"strings"
)

// fold returns the text of an expression.
func (f *folder) fold(e ast.Expr, in scope) string {
	if f.depth > 40 {
		return hole
	}
	f.depth++
	defer func() { f.depth-- }()
	switch e := e.(type) {
	case *ast.BasicLit:
		if t, err := strconv.Unquote(e.Value); err == nil {
			return t
		}
		return e.Value
	case *ast.ParenExpr:
		return f.fold(e.X, in)
	case *ast.BinaryExpr:
		return f.fold(e.X, in) + f.fold(e.Y, in)
	case *ast.Ident:
		if t, ok := in[e.Name]; ok {
			return strings.Join(t, " ")
		}
		if v, ok := f.value[e.Name]; ok {
			f.used[v] = true
			return f.fold(v, nil)
		}
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok && f.of.packages[x.Name] != nil {
			return f.of.packages[x.Name].fold(e.Sel, nil)
		}
	case *ast.CallExpr:
		return f.call(e, in)
	}
	return hole
}

// call returns the text that a call makes.
func (f *folder) call(e *ast.CallExpr, in scope) string {
	switch fun := e.Fun.(type) {
	case *ast.Ident:
		return f.inline(fun.Name, e.Args, f, in)
	case *ast.SelectorExpr:
		x, _ := fun.X.(*ast.Ident)
		switch {
		case fun.Sel.Name == "Replace" && len(e.Args) == 1, fun.Sel.Name == "PerTable", fun.Sel.Name == "ReplaceAll" && x != nil && x.Name == "strings":
			return f.fold(e.Args[0], in)
		case fun.Sel.Name == "Join" && x != nil && x.Name == "strings":
			if id, ok := e.Args[0].(*ast.Ident); ok && in[id.Name] != nil {
				return strings.Join(in[id.Name], f.fold(e.Args[1], in))
			}
		case x != nil && f.of.packages[x.Name] != nil:
			return f.of.packages[x.Name].inline(fun.Sel.Name, e.Args, f, in)
		}
	}
	return hole
}

// inline returns the text that a function of f makes of arguments, which are expressions of a caller.
func (f *folder) inline(name string, args []ast.Expr, caller *folder, in scope) string {
	if !f.makesText(name) {
		return hole
	}
	d, own := f.funcs[name], scope{}
	f.used[returned(d)] = true
	i := 0
	for _, p := range d.Type.Params.List {
		_, many := p.Type.(*ast.Ellipsis)
		for _, n := range p.Names {
			for ; i < len(args); i++ {
				own[n.Name] = append(own[n.Name], caller.fold(args[i], in))
				if !many {
					i++
					break
				}
			}
		}
	}
	for _, s := range d.Body.List {
		if g, ok := s.(*ast.DeclStmt); ok {
			for _, spec := range g.Decl.(*ast.GenDecl).Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for i, n := range v.Names {
						if i < len(v.Values) {
							f.used[v.Values[i]] = true
							own[n.Name] = []string{f.fold(v.Values[i], own)}
						}
					}
				}
			}
		}
	}
	return f.fold(returned(d), own)
}
