package shape

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Statement is an SQL statement.
type Statement struct {
	Name string // package and declaration: crawl.leaseSQL
	At   string // file:line
	Text string
	SQL  bool // of a function: LANGUAGE sql
}

var (
	statementRE = regexp.MustCompile(`^\s*\(*\s*(/\*.*?\*/\s*)?(SELECT|INSERT|UPDATE|DELETE|WITH|MERGE|VALUES)\b`)
	namedRE     = regexp.MustCompile(`/\* [a-z]+\.\w+ \*/`)
	createsRE   = regexp.MustCompile(`^\s*CREATE TEMPORARY TABLE \w+ (?:ON COMMIT DROP )?AS\s`)
	readsRE     = regexp.MustCompile(`\b(?:FROM|JOIN|INTO|UPDATE|USING)\s+[a-z_]\w*`)
)

// hole stands for a part of a text that is not constant.
const hole = " hole() "

// sources folds the string expressions of packages.
type sources struct {
	files    *token.FileSet
	packages map[string]*folder
}

// folder has the declarations of one package.
type folder struct {
	of    *sources
	name  string
	files []*ast.File
	value map[string]ast.Expr
	funcs map[string]*ast.FuncDecl
	used  map[ast.Node]bool // expressions that are parts of others
	depth int
}

// found is a string expression.
type found struct {
	f    *folder
	name string
	e    ast.Expr
	text string
}

// isStatement reports whether the text is a statement. Those that the programs send have a name.
func (r *found) isStatement(creates bool) bool {
	return creates || statementRE.MatchString(r.text) && namedRE.MatchString(r.text)
}

// scope has the values of parameters and constants of a function.
type scope map[string][]string

// Statements returns the SQL statements in the Go files of a folder and those below, except tests and folders named in
// skip. A statement has a name, /* store.Name */. Texts that are put together from constants are put together; a part that is computed stands as a call of hole.
// stray are literals that read or write tables and belong to no statement.
func (s *Schema) Statements(root string, skip ...string) (list []Statement, stray []string, err error) {
	src := &sources{files: token.NewFileSet(), packages: map[string]*folder{}}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(skip, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		return src.read(path)
	})
	if err != nil {
		return nil, nil, err
	}
	var roots []found
	for _, f := range src.sorted() {
		f.each(func(name string, e ast.Expr) { roots = append(roots, found{f, name, e, f.fold(e, nil)}) })
	}
	covered := map[string]bool{}
	for _, r := range roots {
		for _, m := range makesRE.FindAllStringSubmatch(r.text, -1) {
			s.made[m[1]] = true
		}
		creates := createsRE.FindString(r.text)
		if r.text = r.text[len(creates):]; !r.isStatement(creates != "") || r.f.used[r.e] && strings.Contains(r.text, hole) {
			continue
		}
		for _, m := range readsRE.FindAllString(r.text, -1) {
			covered[r.f.name+" "+m] = true
		}
		at := src.files.Position(r.e.Pos())
		list = append(list, Statement{Name: r.f.name + "." + r.name, At: fmt.Sprintf("%s:%d", at.Filename, at.Line), Text: r.text})
	}
	for _, r := range roots {
		if r.isStatement(createsRE.MatchString(r.text)) || r.f.used[r.e] {
			continue
		}
		for _, m := range readsRE.FindAllString(r.text, -1) {
			if !covered[r.f.name+" "+m] {
				stray = append(stray, fmt.Sprintf("%s %s.%s: %s", src.files.Position(r.e.Pos()), r.f.name, r.name, m))
			}
		}
	}
	return list, stray, nil
}

func (s *sources) read(path string) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(s.files, path, src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	name := file.Name.Name
	f := s.packages[name]
	if f == nil {
		f = &folder{of: s, name: name, value: map[string]ast.Expr{}, funcs: map[string]*ast.FuncDecl{}, used: map[ast.Node]bool{}}
		s.packages[name] = f
	}
	f.files = append(f.files, file)
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				f.funcs[d.Name.Name] = d
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && len(v.Names) == len(v.Values) {
					for i, n := range v.Names {
						f.value[n.Name] = v.Values[i]
					}
				}
			}
		}
	}
	return nil
}

func (s *sources) sorted() (list []*folder) {
	for _, f := range s.packages {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *folder) int { return strings.Compare(a.name, b.name) })
	return list
}

// each calls do with each largest string expression, and the name of the declaration that it is in.
func (f *folder) each(do func(name string, e ast.Expr)) {
	walk := func(name string, n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch e := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.BasicLit:
				if e.Kind == token.STRING {
					do(name, e)
				}
			case *ast.BinaryExpr:
				if e.Op == token.ADD && hasString(e) {
					do(name, e)
					return false
				}
			case *ast.CallExpr: // a function that makes a text
				if id, ok := e.Fun.(*ast.Ident); ok && f.makesText(id.Name) {
					do(name, e)
					return false
				}
			}
			return true
		})
	}
	for _, file := range f.files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Body != nil {
					walk(d.Name.Name, d.Body)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok {
						for i, value := range v.Values {
							walk(v.Names[i].Name, value)
						}
					}
				}
			}
		}
	}
}

// hasString reports whether a sum has a string literal.
func hasString(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		l, ok := n.(*ast.BasicLit)
		found = found || ok && l.Kind == token.STRING
		return !found
	})
	return found
}

// makesText reports whether a function returns one expression, a text that has SQL.
func (f *folder) makesText(name string) bool {
	d := f.funcs[name]
	return d != nil && returned(d) != nil && hasString(returned(d))
}

// returned returns the expression of a function that has nothing else but constants.
func returned(d *ast.FuncDecl) ast.Expr {
	if d.Body == nil || len(d.Body.List) == 0 || d.Type.Results == nil || len(d.Type.Results.List) != 1 {
		return nil
	}
	if id, ok := d.Type.Results.List[0].Type.(*ast.Ident); !ok || id.Name != "string" {
		return nil
	}
	last := len(d.Body.List) - 1
	for _, s := range d.Body.List[:last] {
		if _, ok := s.(*ast.DeclStmt); !ok {
			return nil
		}
	}
	if r, ok := d.Body.List[last].(*ast.ReturnStmt); ok && len(r.Results) == 1 {
		return r.Results[0]
	}
	return nil
}
